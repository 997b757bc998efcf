import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createCluster } from "../model/cluster.js";
import type { RawService } from "../model/objects.js";
import type { Surroundings } from "../ruleset.js";
import { followChanges } from "../testing/follow-changes.js";
import { golden } from "../testing/golden.js";
import { createIptablesKernel } from "../testing/iptables-kernel.js";
import { endpoint, type Said, service, slice } from "../testing/objects.js";
import { anyChanges } from "../testing/random-cluster.js";
import { createIptablesRuleset } from "./ruleset.js";

const newRuleset = (parts: Partial<Parameters<typeof createIptablesRuleset>[0]> = {}) =>
  createIptablesRuleset({
    ...golden.options,
    family: "IPv4",
    localhostNodePorts: true,
    isLiberal: false,
    isFullyRandom: true,
    ...parts,
  });

test("two services give the golden text", () => {
  const ruleset = newRuleset();
  ruleset.surround(golden.surroundings());
  for (const { service: name, ports } of golden.services()) ruleset.put(name, ports.IPv4);
  const [kernel, reference] = [createIptablesKernel(), createIptablesKernel()];
  kernel.restore(ruleset.write(0).text);
  reference.restore(readFileSync(new URL("../../testdata/svc1.iptables", import.meta.url), "utf8"));
  assert.deepEqual(new Map([...kernel.chains].sort()), new Map([...reference.chains].sort()));
});

/** The rules that one service has besides what all have, its chains by their prefixes. */
function ownRules(
  spec: RawService["spec"],
  said: readonly Said[],
  parts: { readonly around?: Partial<Surroundings>; readonly masqueradesAll?: boolean; readonly ingress?: string } = {},
): readonly string[] {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const ruleset = newRuleset({ masqueradesAll: parts.masqueradesAll ?? false });
  ruleset.surround(golden.surroundings(parts.around));
  const before = new Set(ruleset.write(0).text.split("\n"));
  const status = parts.ingress === undefined ? {} : { loadBalancer: { ingress: [{ ip: parts.ingress }] } };
  cluster.service("a/b", service("a/b", { ports: [{ port: 80, nodePort: 30_080 }], ...spec }, status));
  const endpoints = said.map((each, i) => endpoint(`10.0.0.${i}`, each));
  cluster.slice("a/s", "a/b", slice(endpoints, { ports: [{ port: 8080 }] }));
  for (const { service: name, ports } of cluster.take()) ruleset.put(name, ports.IPv4);
  const { text } = ruleset.write(0);
  const kernel = createIptablesKernel();
  ruleset.forget();
  kernel.restore(ruleset.write(0).text);
  return text
    .split("\n")
    .filter((line) => line.startsWith("-A ") && !before.has(line))
    .map((line) => line.slice(3).replaceAll(/(KUBE-(?:SVC|SVL|EXT|FW|SEP))-[A-Z2-7]{16}/g, "$1"));
}

describe("what services become", () => {
  const told = (text: string): string => `-m comment --comment "${text}"`;
  const destinations = (text: string): string => told(`${text} for a/b external destinations`);
  const dnat = "-m tcp -p tcp -j DNAT --to-destination 10.0.0.0:8080";

  test("local internal traffic is dropped without local endpoints", () => {
    assert.deepEqual(ownRules({ internalTrafficPolicy: "Local" }, [{}]), [
      `KUBE-SERVICES ${told("a/b has no local endpoints")} -m tcp -p tcp -d 172.30.0.41 --dport 80 -j DROP`,
    ]);
  });

  test("local external traffic lets pods and the node through to all endpoints", () => {
    const spec = { type: "NodePort", externalTrafficPolicy: "Local" };
    assert.deepEqual(
      ownRules(spec, [{ here: true }]).filter((line) => line.startsWith("KUBE-EXT")),
      [
        `KUBE-EXT ${destinations("pod traffic")} -s 10.0.0.0/8 -j KUBE-SVC`,
        `KUBE-EXT ${destinations("masquerade LOCAL traffic")} -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ`,
        `KUBE-EXT ${destinations("route LOCAL traffic")} -m addrtype --src-type LOCAL -j KUBE-SVC`,
        "KUBE-EXT -j KUBE-SVL",
      ],
    );
    const without = ownRules(spec, [{}]);
    const drop = `-m addrtype --dst-type LOCAL -m tcp -p tcp --dport 30080 -j DROP`;
    assert.ok(without.includes(`KUBE-EXTERNAL-SERVICES ${told("a/b has no local endpoints")} ${drop}`));
    assert.ok(!without.includes("KUBE-EXT -j KUBE-SVL"));
  });

  test("a load balancer lets in whom its ranges name", () => {
    const spec = { type: "LoadBalancer", loadBalancerSourceRanges: ["10.180.0.0/16"] };
    const lines = ownRules(spec, [{}], { ingress: "203.0.113.1" });
    const vip = "-m tcp -p tcp -d 203.0.113.1 --dport 80";
    for (const line of [
      `KUBE-SERVICES ${told("a/b loadbalancer IP")} ${vip} -j KUBE-FW`,
      `KUBE-FW ${told("a/b loadbalancer IP")} -s 10.180.0.0/16 -j KUBE-EXT`,
      `KUBE-FW ${told("a/b loadbalancer IP")} -s 203.0.113.1 -j KUBE-EXT`,
      `KUBE-FW ${told("other traffic to a/b will be dropped by KUBE-PROXY-FIREWALL")}`,
      `KUBE-PROXY-FIREWALL ${told("a/b traffic not accepted by KUBE-FW")} ${vip} -j DROP`,
    ]) {
      assert.ok(lines.includes(line), `${line}\n\n${lines.join("\n")}`);
    }
  });

  test("a client stays with its endpoint", () => {
    const affinity = { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } };
    const lines = ownRules(affinity, [{}]);
    const to = told("a/b -> 10.0.0.0:8080");
    assert.deepEqual(
      lines.filter((line) => line.includes("KUBE-SEP")),
      [
        `KUBE-SVC ${to} -m recent --name KUBE-SEP --rcheck --seconds 60 --reap -j KUBE-SEP`,
        `KUBE-SVC ${to} -j KUBE-SEP`,
        "KUBE-SEP -m comment --comment a/b -s 10.0.0.0 -j KUBE-MARK-MASQ",
        `KUBE-SEP -m comment --comment a/b -m recent --name KUBE-SEP --set ${dnat}`,
      ],
    );
  });

  test("a health check's port is open, once for all ports of the service", () => {
    const spec = {
      ...{ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30_200 },
      ports: [
        { name: "a", port: 80, nodePort: 30_080 },
        { name: "b", port: 81, nodePort: 30_081 },
      ],
    };
    const rule = `KUBE-NODEPORTS ${told("a/b health check node port")} -m tcp -p tcp --dport 30200 -j ACCEPT`;
    assert.deepEqual(
      ownRules(spec, []).filter((line) => line.startsWith("KUBE-NODEPORTS")),
      [rule],
    );
  });

  test("probabilities leave each endpoint its share", () => {
    const shares = ownRules({}, [{}, {}, {}, {}]).flatMap((line) => /--probability (\S+)/.exec(line)?.[1] ?? []);
    assert.deepEqual(shares, ["0.2500000000", "0.3333333333", "0.5000000000"]);
  });
});

describe("node ports", () => {
  const note = '-m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain"';
  const rows: readonly (readonly [
    string,
    Parameters<typeof newRuleset>[0],
    Partial<Surroundings>,
    readonly string[],
  ])[] = [
    ["at all addresses", {}, {}, ["-m addrtype --dst-type LOCAL -j KUBE-NODEPORTS"]],
    [
      "not at the loopback address",
      { localhostNodePorts: false },
      {},
      ["-m addrtype --dst-type LOCAL ! -d 127.0.0.0/8 -j KUBE-NODEPORTS"],
    ],
    ["never at that of IPv6", { family: "IPv6" }, {}, ["-m addrtype --dst-type LOCAL ! -d ::1/128 -j KUBE-NODEPORTS"]],
    ["at some addresses", {}, { nodePorts: ["10.0.0.5"] }, ["-d 10.0.0.5 -j KUBE-NODEPORTS"]],
    ["not at a loopback address", { localhostNodePorts: false }, { nodePorts: ["127.0.0.1"] }, []],
  ];
  for (const [what, parts, around, rules] of rows) {
    test(what, () => {
      const [ruleset, kernel] = [newRuleset(parts), createIptablesKernel()];
      ruleset.surround(golden.surroundings(around));
      kernel.restore(ruleset.write(0).text);
      assert.deepEqual(
        kernel.chains.get("nat KUBE-SERVICES"),
        rules.map((rule) => `${note} ${rule}`),
      );
    });
  }
});

test("an endpoint that changes is a few lines", () => {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const ruleset = newRuleset();
  ruleset.surround(golden.surroundings());
  for (let i = 0; i < 100; i++) cluster.service(`ns/s${i}`, service(`ns/s${i}`, { clusterIP: `172.30.1.${i}` }));
  for (let i = 0; i < 100; i++)
    cluster.slice(`ns/s${i}`, `ns/s${i}`, slice([endpoint("10.0.0.1"), endpoint("10.0.0.2")]));
  const write = () => {
    for (const { service: name, ports } of cluster.take()) ruleset.put(name, ports.IPv4);
    return ruleset.write(0);
  };
  write();
  cluster.slice("ns/s7", "ns/s7", slice([endpoint("10.0.0.1"), endpoint("10.0.0.3")]));
  const { text, isWhole } = write();
  assert.ok(!isWhole);
  assert.deepEqual(
    text.split("\n").map((line) => line.slice(0, 9)),
    [
      "*nat",
      ":KUBE-SVC",
      ":KUBE-SEP",
      ":KUBE-SEP",
      ...Array(3).fill("-A KUBE-S"),
      ...Array(2).fill("-A KUBE-S"),
      "-X KUBE-S",
      "COMMIT",
      "",
    ],
  );
  assert.equal(write().text, "");
});

test("many endpoints go without comments, until they are fewer again", () => {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const [ruleset, kernel] = [newRuleset(), createIptablesKernel()];
  ruleset.surround(golden.surroundings());
  const write = (count: number): string => {
    const endpoints = Array.from({ length: count }, (_, i) => endpoint(`10.0.${i >> 8}.${i & 255}`));
    cluster.slice("a/s", "a/b", slice(endpoints));
    for (const { service: name, ports } of cluster.take()) ruleset.put(name, ports.IPv4);
    const { text } = ruleset.write(0, kernel.known());
    kernel.restore(text);
    return text;
  };
  cluster.service("a/b", service("a/b"));
  const [few, many] = [write(1_000), write(1_001)];
  assert.ok(few.includes("a/b:p80 -> 10.0.0.0:80"));
  assert.ok(!many.includes("a/b:p80 -> 10.0.0.0:80"));
  assert.ok(many.includes('"a/b:p80 cluster IP"'));
  assert.ok(write(1_000).includes("a/b:p80 -> 10.0.0.0:80"));
});

test("rules after any changes are those of a fresh start, with what an earlier one left", () => {
  fc.assert(
    fc.property(anyChanges, (changes) => {
      const [kernel, fresh] = [createIptablesKernel(), createIptablesKernel()];
      kernel.restore("*nat\n:KUBE-SVC-OLD - [0:0]\n:KUBE-SEP-OLD - [0:0]\n-A KUBE-SVC-OLD -j KUBE-SEP-OLD\nCOMMIT\n");
      const [ruleset, second] = [newRuleset(), newRuleset()];
      followChanges(ruleset, changes, () => kernel.restore(ruleset.write(0, kernel.known()).text));
      const rest = changes.filter(({ of }) => of !== "sync");
      followChanges(second, rest, () => fresh.restore(second.write(0).text));
      assert.deepEqual(new Map([...kernel.chains].sort()), new Map([...fresh.chains].sort()));
      assert.deepEqual(ruleset.sizes, second.sizes);
    }),
    { numRuns: 300 },
  );
});
