import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { assertLinear } from "@orch/status/testing/growth.js";
import { type CheckedContainer, type CheckedSpec, checkedPod } from "./check.js";
import { createEvaluator, detailText } from "./evaluate.js";
import { type Level, parseVersion } from "./policy.js";

interface Row {
  readonly spec?: CheckedSpec;
  readonly container?: CheckedContainer;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly version?: string;
  readonly baseline: string | null;
  readonly restricted: string | null;
}

const path = new URL("../../../testdata/pod-security.jsonl", import.meta.url);
const rows = readFileSync(path, "utf8")
  .trim()
  .split("\n")
  .map((line): Row => JSON.parse(line));
const evaluate = createEvaluator(createNaming("kubernetes"));

/** What `restricted` takes. */
const container = {
  ...{ name: "c", image: "i" },
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};
const securityContext = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

function withoutNulls<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_, member) => member ?? undefined));
}

function says({ spec, container: more, annotations = {}, version = "latest" }: Row, level: Level): string | null {
  const whole = withoutNulls({ securityContext, containers: [{ ...container, ...more }], ...spec });
  const asked = { level, version: parseVersion(version) ?? "latest" };
  const violations = evaluate(asked, checkedPod({ metadata: { annotations }, spec: whole }));
  return violations.length === 0 ? null : detailText(violations);
}

for (const row of rows) {
  const { baseline, restricted, ...given } = row;
  test(`pod ${JSON.stringify(given)}`, () => {
    assert.equal(says(row, "privileged"), null);
    assert.equal(says(row, "baseline"), baseline);
    assert.equal(says(row, "restricted"), restricted);
  });
}

const more: readonly (readonly [what: string, row: Omit<Row, "baseline" | "restricted">, Level, string | null])[] = [
  [
    "ports of the host are told together, sorted, each once",
    { spec: { containers: [port("a", 80, 443), port("b", 80), port("c")] } },
    "baseline",
    'hostPort (containers "a", "b" use hostPorts 443, 80)',
  ],
  [
    "one port of the host",
    { container: { ports: [{ hostPort: 80 }] } },
    "baseline",
    'hostPort (container "c" uses hostPort 80)',
  ],
  [
    "before profiles were fields their annotations were looked at",
    { version: "v1.18", annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } },
    "baseline",
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  ],
  [
    "the annotation of a container that is not there says nothing",
    { version: "v1.18", annotations: { "container.seccomp.security.alpha.kubernetes.io/other": "unconfined" } },
    "baseline",
    null,
  ],
  [
    "a type that came with 1.31",
    { version: "v1.30", spec: { securityContext: { seLinuxOptions: { type: "container_engine_t" } } } },
    "baseline",
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
  ],
  [
    "a setting that came with 1.29",
    { version: "v1.28", spec: { securityContext: { sysctls: [{ name: "net.ipv4.tcp_keepalive_time" }] } } },
    "baseline",
    "forbidden sysctls (net.ipv4.tcp_keepalive_time)",
  ],
  [
    "init containers are told first",
    { spec: { initContainers: [{ name: "z", securityContext: { privileged: true } }], containers: [privileged("a")] } },
    "baseline",
    'privileged (containers "z", "a" must not set securityContext.privileged=true)',
  ],
];

function port(name: string, ...ports: number[]): CheckedContainer {
  return { ...container, name, ports: ports.map((hostPort) => ({ hostPort })) };
}

function privileged(name: string): CheckedContainer {
  return { name, securityContext: { privileged: true } };
}

for (const [what, row, level, said] of more) {
  test(what, () => assert.equal(says({ ...row, baseline: null, restricted: null }, level), said));
}

test("of very many containers a hundred are named", () => {
  const containers = Array.from({ length: 5000 }, (_, i) => privileged(`c${i}`));
  const said = says({ spec: { containers }, baseline: null, restricted: null }, "restricted") ?? "";
  assert.match(said, /^privileged \(containers "c0", "c1", .*"c99", and 4900 more must not set/);
  assert.ok(said.length < 10_000);
});

test("judging a pod costs by its containers", () => {
  assertLinear(8000, (count) => {
    const containers = Array.from({ length: count }, (_, i) => ({
      ...{ name: `c${i}`, ports: [{ hostPort: i + 1 }] },
      securityContext: { capabilities: { add: [`A${i}`] }, procMount: `m${i}`, seLinuxOptions: { type: `t${i}` } },
    }));
    const pod = checkedPod({ metadata: {}, spec: { containers } });
    return () => evaluate({ level: "restricted", version: "latest" }, pod);
  });
});

test("a version is latest or v1 and a minor number", () => {
  assert.deepEqual(["latest", "v1.0", "v1.99"].map(parseVersion), ["latest", 0, 99]);
  for (const text of ["", "v1", "v1.", "v1.01", "v1.-1", "v1.1e3", "v2.0", "1.2", "v1.1.1", `v1.${"9".repeat(400)}`]) {
    assert.equal(parseVersion(text), undefined, text);
  }
});
