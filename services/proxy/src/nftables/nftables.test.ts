import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createCluster } from "../model/cluster.js";
import type { RawService } from "../model/objects.js";
import type { Surroundings } from "../ruleset.js";
import { followChanges } from "../testing/follow-changes.js";
import { golden } from "../testing/golden.js";
import { createNftKernel } from "../testing/nft-kernel.js";
import { endpoint, type Said, service, slice } from "../testing/objects.js";
import { anyChanges } from "../testing/random-cluster.js";
import { createNftRuleset } from "./ruleset.js";

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

/** Chain → its rules in their order. */
function rulesOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const chains = new Map<string, string[]>();
  for (const line of lines) {
    const [verb, what, , , chain = "", ...rule] = line.split(" ");
    if (`${verb} ${what}` !== "add rule") continue;
    chains.set(chain, [...(chains.get(chain) ?? []), rule.join(" ")]);
  }
  return new Map([...chains].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const newRuleset = (parts: Partial<Parameters<typeof createNftRuleset>[0]> = {}) =>
  createNftRuleset({ ...golden.options, family: "IPv4", ...parts });

test("two services give the golden text", () => {
  const ruleset = newRuleset();
  ruleset.surround(golden.surroundings({ nodePorts: ["10.180.0.254"] }));
  for (const { service: name, ports } of golden.services()) ruleset.put(name, ports.IPv4);
  const file = linesOf(readFileSync(new URL("../../testdata/svc1.nft", import.meta.url), "utf8"));
  const { text, isWhole } = ruleset.write(0);
  assert.ok(isWhole);
  const [first, second, ...lines] = linesOf(text);
  assert.deepEqual([first, second], ["add table ip kube-proxy", "delete table ip kube-proxy"]);
  assert.deepEqual([...lines].sort(), [...file].sort());
  assert.deepEqual(rulesOf(lines), rulesOf(file));
  createNftKernel().load(text);
});

/** What one service has besides what all have. */
function ownLines(
  spec: RawService["spec"],
  said: readonly Said[],
  parts: { readonly around?: Partial<Surroundings>; readonly masqueradesAll?: boolean; readonly ingress?: string } = {},
): readonly string[] {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const ruleset = newRuleset({ masqueradesAll: parts.masqueradesAll ?? false });
  ruleset.surround(golden.surroundings(parts.around));
  const before = new Set(linesOf(ruleset.write(0).text));
  const status = parts.ingress === undefined ? {} : { loadBalancer: { ingress: [{ ip: parts.ingress }] } };
  cluster.service("a/b", service("a/b", { ports: [{ port: 80, nodePort: 30_080 }], ...spec }, status));
  const endpoints = said.map((each, i) => endpoint(`10.0.0.${i}`, each));
  cluster.slice("a/s", "a/b", slice(endpoints, { ports: [{ port: 8080 }] }));
  for (const { service: name, ports } of cluster.take()) ruleset.put(name, ports.IPv4);
  ruleset.forget();
  const { text } = ruleset.write(0);
  createNftKernel().load(text);
  const short = (line: string): string =>
    line
      .replaceAll("ip kube-proxy ", "")
      .replaceAll(/-[A-Z2-7]{8}-a\/b\/tcp\/(__10\.0\.0\.)?/g, (_, of) => (of ? "-" : ""));
  return linesOf(text)
    .filter((line) => !before.has(line) && !line.startsWith("add chain"))
    .map(short);
}

describe("what services become", () => {
  const toEndpoint = (i: number, more: readonly string[] = []) => [
    `add rule endpoint-${i}/8080 ip saddr 10.0.0.${i} jump mark-for-masquerade`,
    ...more,
    `add rule endpoint-${i}/8080 meta l4proto tcp dnat to 10.0.0.${i}:8080`,
  ];
  const at = "172.30.0.41 . tcp . 80";

  test("local internal traffic goes to the node's endpoints", () => {
    assert.deepEqual(ownLines({ internalTrafficPolicy: "Local" }, [{ here: true }, {}]), [
      "add rule local ip daddr 172.30.0.41 tcp dport 80 ip saddr != 10.0.0.0/8 jump mark-for-masquerade",
      "add rule local numgen random mod 1 vmap { 0 : goto endpoint-0/8080 }",
      ...toEndpoint(0),
      "add element cluster-ips { 172.30.0.41 }",
      `add element service-ips { ${at} : goto local }`,
    ]);
    assert.deepEqual(ownLines({ internalTrafficPolicy: "Local" }, [{}]), [
      "add element cluster-ips { 172.30.0.41 }",
      `add element no-endpoint-services { ${at} comment "a/b" : drop }`,
    ]);
  });

  test("local external traffic lets pods and the node through to all endpoints", () => {
    const lines = ownLines({ type: "NodePort", externalTrafficPolicy: "Local" }, [{ here: true }]);
    assert.deepEqual(
      lines.filter((line) => line.startsWith("add rule external") || line.includes("nodeports")),
      [
        'add rule external ip saddr 10.0.0.0/8 goto service comment "short-circuit pod traffic"',
        'add rule external fib saddr type local jump mark-for-masquerade comment "masquerade local traffic"',
        'add rule external fib saddr type local goto service comment "short-circuit local traffic"',
        "add rule external goto local",
        "add element service-nodeports { tcp . 30080 : goto external }",
      ],
    );
    const without = ownLines({ type: "NodePort", externalTrafficPolicy: "Local" }, [{}]);
    assert.ok(without.includes('add element no-endpoint-nodeports { tcp . 30080 comment "a/b" : drop }'));
    assert.ok(without.includes("add element service-nodeports { tcp . 30080 : goto external }"));
    assert.ok(!without.includes("add rule external goto local"));
  });

  test("a load balancer lets in whom its ranges name", () => {
    const spec = { type: "LoadBalancer", loadBalancerSourceRanges: ["10.180.0.0/16", "192.0.2.0/24", "192.0.2.7/32"] };
    const lines = ownLines(spec, [{}], { ingress: "203.0.113.1" });
    const firewall = "add rule firewall ip saddr != { 10.180.0.0/16, 192.0.2.0/24, 203.0.113.1 } drop";
    assert.ok(lines.includes(firewall), lines.join("\n"));
    assert.ok(lines.includes('add element firewall-ips { 203.0.113.1 . tcp . 80 comment "a/b" : goto firewall }'));
    assert.ok(lines.includes("add element service-ips { 203.0.113.1 . tcp . 80 : goto external }"));
    const elsewhere = ownLines(spec, [{}], { ingress: "203.0.113.1", around: { address: "198.51.100.1" } });
    assert.ok(elsewhere.includes("add rule firewall ip saddr != { 10.180.0.0/16, 192.0.2.0/24 } drop"));
  });

  test("a client stays with its endpoint", () => {
    const affinity = { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } };
    assert.deepEqual(ownLines(affinity, [{}]), [
      "add set affinity-0/8080 { type ipv4_addr ; flags dynamic,timeout ; timeout 60s ; }",
      "add rule service ip daddr 172.30.0.41 tcp dport 80 ip saddr != 10.0.0.0/8 jump mark-for-masquerade",
      "add rule service ip saddr @affinity-0/8080 goto endpoint-0/8080",
      "add rule service numgen random mod 1 vmap { 0 : goto endpoint-0/8080 }",
      ...toEndpoint(0, ["add rule endpoint-0/8080 update @affinity-0/8080 { ip saddr }"]),
      "add element cluster-ips { 172.30.0.41 }",
      `add element service-ips { ${at} : goto service }`,
    ]);
  });

  const masked: readonly (readonly [string, Partial<Surroundings>, boolean, readonly string[]])[] = [
    ["everything", {}, true, ["ip daddr 172.30.0.41 tcp dport 80 jump mark-for-masquerade"]],
    ["nothing", { detection: { by: "nothing" } }, false, []],
    [
      "what comes by other interfaces than a bridge",
      { detection: { by: "interface", name: "br0", isPrefix: false } },
      false,
      ['ip daddr 172.30.0.41 tcp dport 80 iifname != "br0" jump mark-for-masquerade'],
    ],
    [
      "what comes by other interfaces than those of pods",
      { detection: { by: "interface", name: "veth", isPrefix: true } },
      false,
      ['ip daddr 172.30.0.41 tcp dport 80 iifname != "veth*" jump mark-for-masquerade'],
    ],
  ];
  for (const [what, around, masqueradesAll, rules] of masked) {
    test(`masquerading ${what}`, () => {
      const lines = ownLines({}, [{}], { around, masqueradesAll });
      const found = lines.filter(
        (line) => line.startsWith("add rule service") && line.endsWith("jump mark-for-masquerade"),
      );
      assert.deepEqual(
        found,
        rules.map((rule) => `add rule service ${rule}`),
      );
    });
  }

  test("IPv6 has its own words", () => {
    const cluster = createCluster({ hostname: "here", families: ["IPv6"] });
    const ruleset = newRuleset({ family: "IPv6" });
    const surroundings = { nodePorts: "all", address: "fd00::fe", serviceNetworks: [] } as const;
    ruleset.surround({ ...surroundings, detection: { by: "source", network: "fd00::/16" } });
    cluster.service("a/b", service("a/b", { clusterIP: "fd30::41" }));
    cluster.slice("a/s", "a/b", slice([endpoint("fd00::1")], { addressType: "IPv6" }));
    for (const { service: name, ports } of cluster.take()) ruleset.put(name, ports.IPv6);
    const { text } = ruleset.write(0);
    for (const part of [
      "add set ip6 kube-proxy cluster-ips { type ipv6_addr ;",
      "ip6 daddr fd30::41 tcp dport 80 ip6 saddr != fd00::/16 jump mark-for-masquerade",
      "-a/b/tcp/p80__fd00..1/80 meta l4proto tcp dnat to [fd00::1]:80",
      "add element ip6 kube-proxy service-ips { fd30::41 . tcp . 80 : goto service-",
    ]) {
      assert.ok(text.includes(part), part);
    }
  });
});

test("a cluster address keeps its traffic, whatever external addresses others name", () => {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const [ruleset, kernel] = [newRuleset(), createNftKernel()];
  ruleset.surround(golden.surroundings());
  const write = (): void => {
    for (const { service: name, ports } of cluster.take()) ruleset.put(name, ports.IPv4);
    kernel.load(ruleset.write(0).text);
  };
  cluster.service("z/own", service("z/own", { clusterIP: "172.30.0.9" }));
  cluster.slice("z/s", "z/own", slice([endpoint("10.0.0.1")]));
  cluster.slice("a/s", "a/thief", slice([endpoint("10.0.0.2")]));
  write();
  cluster.service("a/thief", service("a/thief", { clusterIP: "172.30.0.1", externalIPs: ["172.30.0.9"] }));
  write();
  const holder = () => /172\.30\.0\.9 \. tcp \. 80 : goto (\S+)/.exec(kernel.dump().join("\n"))?.[1] ?? "";
  assert.match(holder(), /^service-.*z\/own/);
  cluster.service("z/own", undefined);
  write();
  assert.match(holder(), /^external-.*a\/thief/);
});

test("an endpoint that changes is a few lines", () => {
  const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
  const ruleset = newRuleset();
  ruleset.surround(golden.surroundings());
  for (let i = 0; i < 100; i++) cluster.service(`ns/s${i}`, service(`ns/s${i}`, { clusterIP: `172.30.1.${i}` }));
  for (let i = 0; i < 100; i++)
    cluster.slice(`ns/s${i}`, `ns/s${i}`, slice([endpoint("10.0.0.1"), endpoint("10.0.0.2")]));
  const write = (now: number) => {
    for (const { service: name, ports } of cluster.take()) ruleset.put(name, ports.IPv4);
    return ruleset.write(now);
  };
  write(0);
  cluster.slice("ns/s7", "ns/s7", slice([endpoint("10.0.0.1"), endpoint("10.0.0.3")]));
  const { text, isWhole, againAfter } = write(10);
  assert.ok(!isWhole);
  assert.deepEqual(
    linesOf(text).map((line) => line.split(" ").slice(0, 2).join(" ")),
    ["add chain", "flush chain", "flush chain", "add rule", "add rule", "add rule", "add rule"],
  );
  assert.equal(againAfter, 1_000);
  const later = write(1_010);
  assert.match(later.text, /^delete chain ip kube-proxy endpoint-\S+10\.0\.0\.2\/80\n$/);
  assert.deepEqual(write(1_020), { text: "", isWhole: false, againAfter: undefined });
  // What says the same is not written again.
  cluster.slice("ns/s7", "ns/s7", slice([endpoint("10.0.0.3"), endpoint("10.0.0.1")]));
  assert.equal(write(2_000).text, "");
});

test("a whole writing by parts comes to what it is in one", () => {
  fc.assert(
    fc.property(anyChanges, fc.integer({ min: 1, max: 6 }), (changes, chainsOfPart) => {
      const written = (options: { readonly chainsOfPart?: number }) => {
        const ruleset = newRuleset(options);
        followChanges(
          ruleset,
          changes.filter(({ of }) => of !== "sync"),
          () => undefined,
        );
        return { ruleset, writing: ruleset.write(0) };
      };
      const [parted, one] = [written({ chainsOfPart }), written({})];
      const [kernel, fresh, atOnce] = [createNftKernel(), createNftKernel(), createNftKernel()];
      // Each by itself, as the kernel takes them: none names what only a later one brings.
      for (const part of parted.writing.parts ?? [parted.writing.text]) kernel.load(part);
      atOnce.load(parted.writing.text);
      fresh.load(one.writing.text);
      assert.equal(one.writing.parts, undefined);
      assert.deepEqual(kernel.dump(), fresh.dump());
      assert.deepEqual(atOnce.dump(), fresh.dump());
      assert.deepEqual(parted.ruleset.sizes, one.ruleset.sizes);
    }),
    { numRuns: 300 },
  );
});

test("rules after any changes are those of a fresh start", () => {
  fc.assert(
    fc.property(anyChanges, (changes) => {
      const [kernel, fresh] = [createNftKernel(), createNftKernel()];
      let now = 0;
      const ruleset = newRuleset();
      followChanges(ruleset, changes, (isLast) => {
        now += 400;
        kernel.load(ruleset.write(now).text);
        if (isLast) kernel.load(ruleset.write(now + 1_000).text);
      });
      const second = newRuleset();
      followChanges(
        second,
        changes.filter(({ of }) => of !== "sync"),
        () => fresh.load(second.write(0).text),
      );
      assert.deepEqual(kernel.dump(), fresh.dump());
      assert.equal(ruleset.sizes["kube-proxy"], second.sizes["kube-proxy"]);
    }),
    { numRuns: 300 },
  );
});
