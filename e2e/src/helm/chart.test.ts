import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { orch, root } from "../command-line-program.js";
import { buildHelm, chart, type Helm, helmIn, render } from "./helm.js";
import { letsThrough } from "./network.js";
import {
  listAt,
  mountsOf,
  podsOf,
  programOf,
  type RenderedPod,
  readObjects,
  textAt,
  textsAt,
  valueAt,
} from "./rendered.js";
import { matrix } from "./values.js";

/** The chart as Helm renders it: nothing of it may be what the programs, or the chart itself, do not know. */
const scripts: Readonly<Record<string, string>> = { standalone: "serve" };

let folder: string;
let helm: Helm;
let missing: string | undefined;
const rendered = new Map<string, readonly ApiObject[]>();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-helm-"));
  const program = join(folder, "helm3");
  missing = await buildHelm(3, program);
  if (missing !== undefined) return;
  helm = helmIn({ major: 3, program, folder });
  for (const [title, values] of Object.entries(matrix)) rendered.set(title, readObjects(await render(helm, values)));
});
after(() => rm(folder, { recursive: true, force: true }));

function available(t: TestContext): boolean {
  if (missing !== undefined) t.skip(missing);
  return missing === undefined;
}

/** A file of flags and fields is read before flags are judged: it stands in a folder of this machine. */
async function here(argument: string, objects: readonly ApiObject[]): Promise<string> {
  const [, flag, file = ""] = /^(--(?:scheduler-)?config=)\/etc\/orch\/config\/([a-z.-]+)$/.exec(argument) ?? [];
  if (flag === undefined) return argument;
  const text = ofKind(objects, "ConfigMap")
    .map((map) => textsAt(map, "data")[file] ?? "")
    .join("");
  const path = join(folder, `${createHash("sha256").update(text).digest("hex")}-${file}`);
  await writeFile(path, text);
  return `${flag}${path}`;
}

const nameOf = ({ kind = "", metadata }: ApiObject): string => `${kind} ${metadata.name}`;
const ofKind = (objects: readonly ApiObject[], kind: string) => objects.filter((object) => object.kind === kind);

describe("the chart", () => {
  test("passes Helm's own checks with each set of values", async (t) => {
    if (!available(t)) return;
    for (const values of Object.values(matrix))
      await helm(["lint", chart, "--strict", "--kube-version=1.32.0", ...values]);
  });

  const wrong: ReadonlyArray<readonly [values: readonly string[], says: RegExp]> = [
    [["--set=mode=both"], /mode/],
    [["--set=gateway.replica=3"], /replica.*not allowed/],
    [["--set=standalone.replicas=2"], /replicas/],
    [['--set-json=resource.parts=[{"name":"core","groups":["core"]}]'], /At least one of the items must match/],
    [["--set=etcd.external.endpoints={a:2379}"], /endpoints/],
    [["--set=kms.enabled=true"], /kms\.configurationSecret is needed/],
    [["--set=audit.enabled=true"], /audit\.policy is needed/],
    [["--set=gateway.agents.preferredAddressTypes={Somewhere}"], /preferredAddressTypes/],
  ];
  test("refuses values that make no sense, and names them", async (t) => {
    if (!available(t)) return;
    for (const [values, says] of wrong) {
      const { code, errors } = await helm.exit(["template", "orch", chart, "--kube-version=1.32.0", ...values]);
      assert.notEqual(code, 0, values.join(" "));
      assert.match(errors, says);
    }
  });

  test("gives each object one name, and every label that it is selected by", async (t) => {
    if (!available(t)) return;
    for (const [title, objects] of rendered) {
      const names = objects.map(nameOf);
      assert.deepEqual(names, [...new Set(names)], title);
      const pods = podsOf(objects);
      for (const kind of ["Service", "PodDisruptionBudget", "NetworkPolicy", "Deployment", "StatefulSet"]) {
        for (const object of ofKind(objects, kind)) {
          const selector = valueAt(
            object,
            kind === "Service" ? "spec.selector" : (selectorPaths[kind] ?? "spec.selector.matchLabels"),
          );
          const selected = pods.filter(({ labels }) =>
            Object.entries(Object(selector)).every(([key, value]) => labels[key] === value),
          );
          assert.notEqual(selected.length, 0, `${title}: ${nameOf(object)} selects nobody`);
        }
      }
    }
  });

  test("starts programs with flags that they know, and values that they take", async (t) => {
    if (!available(t)) return;
    const lines = new Map<string, { readonly line: readonly string[]; readonly where: string }>();
    for (const [title, objects] of rendered) {
      for (const pod of podsOf(objects)) {
        const { program = "", args = [] } = programOf(pod) ?? {};
        if (program === "cli" || program === "") continue;
        const line = [scripts[program] ?? program, ...(await Promise.all(args.map((arg) => here(arg, objects))))];
        lines.set(line.join(" "), { line, where: `${title}: ${nameOf(pod.object)}` });
      }
    }
    assert.ok(lines.size > 20);
    for (const { line, where } of lines.values()) {
      const { code, err } = await orch(...line, "--print-config");
      assert.equal(code, 0, `${where}: ${err}`);
    }
  });

  test("mounts every file that a flag names, of Secrets that are made", async (t) => {
    if (!available(t)) return;
    const made = join(folder, "made");
    assert.equal((await orch("certificates", `--output=${made}`, "--etcd-name=localhost")).code, 0);
    const bundles = new Map<string, readonly string[]>();
    for (const bundle of await readdir(made)) bundles.set(bundle, await readdir(join(made, bundle)));
    for (const [title, objects] of rendered) {
      for (const pod of podsOf(objects)) {
        const mounts = new Map(mountsOf(pod).map((mount) => [mount.folder, mount]));
        for (const [, where = "", file = ""] of JSON.stringify(pod.pod).matchAll(
          /=\/etc\/orch\/([a-z-]+)\/([^"/,]+)/g,
        )) {
          const mount = mounts.get(where);
          assert.ok(mount, `${title}: ${nameOf(pod.object)}: nothing is mounted for ${where}/${file}`);
          const bundle = /^(?:orch-|mine-|x-)(.*)/.exec(mount.secret)?.[1];
          const map = objects.find((one) => one.kind === "ConfigMap" && one.metadata.name === mount.configMap);
          const files = mount.keys.length > 0 ? mount.keys : filesOf(bundles.get(bundle ?? ""), map);
          if (files.length > 0) assert.ok(files.includes(file), `${title}: ${nameOf(pod.object)}: no ${where}/${file}`);
          else assert.match(mount.secret, /^(keys|kafka|etcd|agents)$/, `${title}: nobody makes ${mount.secret}`);
        }
      }
    }
    const role = rendered.get("what is the default")?.find(({ kind }) => kind === "Role");
    const names = listAt(role, "rules.1.resourceNames").map((name) => String(name).replace(/^orch-/, ""));
    assert.deepEqual([...names].sort(), [...bundles.keys()].sort(), "what the Job may replace");
  });

  test("lets through the arrows of the architecture, each of which a flag names, and no other", async (t) => {
    if (!available(t)) return;
    for (const [title, objects] of rendered) {
      const policies = ofKind(objects, "NetworkPolicy");
      const services = podsOf(objects).filter(({ object }) =>
        ["Deployment", "StatefulSet"].includes(object.kind ?? ""),
      );
      for (const from of services) {
        for (const to of services) {
          for (const [name, port] of Object.entries(portsOf(to))) {
            if (name === "metrics") continue;
            const named = arrowNamed(objects, from, to, port);
            const open = letsThrough(policies, {
              from: { labels: from.labels, ports: {} },
              to: { labels: to.labels, ports: portsOf(to) },
              port,
            });
            assert.equal(open, named, `${title}: ${nameOf(from.object)} → ${nameOf(to.object)}:${name}`);
          }
        }
      }
    }
  });

  test("alerts and draws by metrics that there are", async (t) => {
    if (!available(t)) return;
    const known = new Set<string>();
    for (const path of [
      "docs/observability.md",
      "docs/audit.md",
      "docs/storage.md",
      "libs/runtime/src/flags/rpc-flags.ts",
      "e2e/src/hostile-labels.test.ts",
    ]) {
      for (const [name] of (await readFile(join(root, path), "utf8")).matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b/g))
        known.add(name);
    }
    // Of Prometheus itself, of processes, and of etcd.
    for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes"]) known.add(name);
    for (const name of ["etcd_mvcc_db_total_size_in_bytes", "etcd_server_quota_backend_bytes"]) known.add(name);
    const files = [
      "rules.yaml",
      ...(await readdir(join(chart, "files/dashboards"))).map((name) => `dashboards/${name}`),
    ];
    let seen = 0;
    for (const file of files) {
      const text = await readFile(join(chart, "files", file), "utf8");
      for (const [, name = ""] of text.matchAll(/(?<![:a-z_])([a-z]+(?:_[a-z0-9]+)+)\{/g)) {
        seen += 1;
        const plain = name.replace(/_(bucket|count|sum)$/, "");
        assert.ok(known.has(plain) || known.has(name), `${file}: ${name}`);
      }
    }
    assert.ok(seen > 50);
    const rules = rendered.get("on somebody's etcd, by cert-manager, watched and scaled");
    const rule = rules?.find(({ kind }) => kind === "PrometheusRule");
    assert.doesNotMatch(JSON.stringify(rule), /\$(namespace|release|front|budget)/, "everything is put in");
    assert.match(JSON.stringify(rule), /job=\\"orch-gateway\\"/);
  });

  test("tells of every value in its README", async () => {
    const values = parseYaml(await readFile(join(chart, "values.yaml")));
    assert.ok(values.ok);
    const readme = await readFile(join(chart, "README.md"), "utf8");
    for (const name of Object.keys(Object(values.value))) assert.ok(readme.includes(`\`${name}\``), name);
  });

  test("says to a program what Prometheus has to be to it, and a name that its certificate has", async (t) => {
    if (!available(t)) return;
    const objects = rendered.get("on somebody's etcd, by cert-manager, watched and scaled") ?? [];
    for (const monitor of ofKind(objects, "ServiceMonitor")) {
      const name = textAt(monitor, "spec.endpoints.0.tlsConfig.serverName");
      const names = ofKind(objects, "Certificate").flatMap((one) => listAt(one, "spec.dnsNames"));
      assert.ok(names.includes(name), `${nameOf(monitor)}: no certificate is for ${name}`);
    }
  });
});

const selectorPaths: Readonly<Record<string, string>> = {
  NetworkPolicy: "spec.podSelector.matchLabels",
};

function filesOf(bundle: readonly string[] | undefined, map: ApiObject | undefined): readonly string[] {
  return bundle ?? Object.keys(Object(valueAt(map, "data")));
}

function portsOf({ pod }: RenderedPod): Readonly<Record<string, number>> {
  const ports = listAt(pod, "spec.containers.0.ports");
  return Object.fromEntries(ports.map((port) => [textAt(port, "name"), Number(valueAt(port, "containerPort"))]));
}

/** Whether the flags or files of a pod name a port of another one's Service. */
function arrowNamed(objects: readonly ApiObject[], from: RenderedPod, to: RenderedPod, port: number): boolean {
  const map = mountsOf(from).find(({ configMap }) => configMap !== "")?.configMap;
  const files = objects.find((one) => one.kind === "ConfigMap" && one.metadata.name === map);
  const said = JSON.stringify([listAt(from.pod, "spec.containers.0.args"), valueAt(files, "data")]);
  const name = to.object.metadata.name ?? "";
  // Behind a gateway's Service stands another port; a policy sees the pod's.
  const ports = name.endsWith("-gateway") ? [443, port] : [port];
  return ports.some((one) => said.includes(`${name}.orch.svc.cluster.local:${one}`));
}
