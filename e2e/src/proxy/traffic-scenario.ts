// Run by proxy-traffic.test.ts in a network namespace of its own: node traffic-scenario.js MODE
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Client } from "@orch/client/client.js";
import type { Collection } from "@orch/client/objects.js";
import { type Process, startProcess } from "@orch/deploy/process.js";
import { clientOf } from "../harness/clients.js";
import { startStandalone, type Target } from "../harness/target.js";
import { until } from "../harness/until.js";
import { type Asked, makeNodeNetwork, type NodeNetwork, type Place, refusedCode, timeoutCode } from "./node-network.js";

const mode = process.argv[2] ?? "nftables";
const merge = "application/merge-patch+json";
const services: Collection = { group: "", version: "v1", resource: "services", namespace: "default" };
const nodes: Collection = { group: "", version: "v1", resource: "nodes" };
const slices: Collection = {
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  namespace: "default",
};

interface FamilyWords {
  readonly family: "IPv4" | "IPv6";
  readonly pod: (n: number) => string;
  readonly cluster: (n: number) => string;
  readonly external: string;
  readonly outside: string;
  readonly node: string;
  readonly at: (address: string, port: number) => string;
}

const rows: readonly FamilyWords[] = [
  {
    family: "IPv4",
    pod: (n) => `10.180.0.${n}`,
    cluster: (n) => `172.30.0.${n}`,
    ...{ external: "198.51.100.7", outside: "192.0.2.2", node: "192.0.2.1" },
    at: (address, port) => `http://${address}:${port}/`,
  },
  {
    family: "IPv6",
    pod: (n) => `fd00:180::${n}`,
    cluster: (n) => `fd30::${n.toString(16)}`,
    ...{ external: "fd00:198::7", outside: "fd00:192::2", node: "fd00:192::1" },
    at: (address, port) => `http://[${address}]:${port}/`,
  },
];

describe(`traffic by ${mode}`, () => {
  let target: Target | undefined;
  let client: Client | undefined;
  let network: NodeNetwork | undefined;
  let proxy: Process | undefined;
  const on = () => {
    if (target === undefined || client === undefined || network === undefined) throw new Error("not running");
    return { target, client, network };
  };
  const ask = (from: Place, url: string): Asked => on().network.ask(from, url);
  const askMany = (from: Place, url: string, times: number): readonly string[] =>
    Array.from({ length: times }, () => {
      const asked = ask(from, url);
      return asked.ok ? asked.pod : `curl ended with ${asked.code}`;
    });
  const served = (from: Place, url: string): Promise<Asked & { readonly ok: true }> =>
    until(`${url} is served from ${from}`, () => {
      const asked = ask(from, url);
      return asked.ok ? asked : undefined;
    });
  const ends = (from: Place, url: string, code: number): Promise<Asked> =>
    until(`${url} from ${from} ends with ${code}`, () => {
      const asked = ask(from, url);
      return !asked.ok && asked.code === code ? asked : undefined;
    });
  const startProxy = (): Promise<Process> =>
    startProcess({
      name: "proxy",
      script: fileURLToPath(new URL("../../../services/proxy/dist/main.js", import.meta.url)),
      args: [
        ...[`--orchconfig=${on().target.clientConfig}`, "--api-dialect=kubernetes", "--hostname-override=node-a"],
        ...[
          `--proxy-mode=${mode}`,
          "--cluster-cidr=10.180.0.0/24,fd00:180::/64",
          "--nodeport-addresses=0.0.0.0/0,::/0",
        ],
        ...["--iptables-min-sync-period=100ms", "--nftables-min-sync-period=100ms", "--oom-score-adj=0"],
        // Values of the whole machine stay what they are.
        ...["--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0s"],
        "--conntrack-tcp-timeout-close-wait=0s",
      ],
      sameAgain: () => [],
    });
  const makeService = (name: string, words: FamilyWords, n: number, spec: object = {}): Promise<unknown> =>
    on().client.create(services, {
      metadata: { name },
      spec: {
        ...{ clusterIP: words.cluster(n), clusterIPs: [words.cluster(n)], ipFamilies: [words.family] },
        ports: [{ name: "web", port: 80, targetPort: 8080 }],
        ...spec,
      },
    });
  /** Endpoints by their pods: p1 is on this node, p2 is on another one as far as the proxy knows. */
  const endpointsOf = (words: FamilyWords, pods: readonly number[]) =>
    pods.map((n) => ({
      addresses: [words.pod(n)],
      conditions: { ready: true },
      nodeName: n === 1 ? "node-a" : "node-b",
    }));
  const makeSlice = (name: string, words: FamilyWords, pods: readonly number[], parts: object = {}): Promise<unknown> =>
    on().client.create(slices, {
      metadata: { name, labels: { "kubernetes.io/service-name": name } },
      addressType: words.family,
      ports: [{ name: "web", port: 8080, protocol: "TCP" }],
      endpoints: endpointsOf(words, pods),
      ...parts,
    });
  const changeSlice = (name: string, words: FamilyWords, pods: readonly number[]): Promise<unknown> =>
    on().client.patch(slices, name, { type: merge, body: { endpoints: endpointsOf(words, pods) } });

  before(async () => {
    network = await makeNodeNetwork();
    target = await startStandalone({ args: ["--service-cluster-ip-range=172.30.0.0/16,fd30::/112"] });
    client = await clientOf(target);
    await client.create(nodes, { metadata: { name: "node-a" } });
    const addresses = ["10.180.0.254", "fd00:180::fe"].map((address) => ({ type: "InternalIP", address }));
    await client.patch(nodes, "node-a", { type: merge, body: { status: { addresses } }, subresource: "status" });
    // What an earlier proxy left behind.
    leaveStaleRules();
    proxy = await startProxy();
  });
  after(async () => {
    await proxy?.stop();
    await client?.close();
    await target?.stop();
    network?.stop();
  });

  for (const words of rows) {
    const { family, cluster, pod, at, outside, node, external } = words;
    const name = (what: string): string => `${what}-${family.toLowerCase()}`;

    describe(family, () => {
      test("a cluster address spreads over endpoints, which see the pod that asks", async () => {
        await makeService(name("plain"), words, 41);
        await makeSlice(name("plain"), words, [1, 2]);
        const url = at(cluster(41), 80);
        assert.equal((await served("p3", url)).saw, pod(3));
        assert.deepEqual([...new Set(askMany("p3", url, 30))].sort(), ["p1", "p2"]);
        assert.deepEqual([...new Set(askMany("node", url, 30))].sort(), ["p1", "p2"]);
      });

      test("a pod reaches itself through its service", async () => {
        await makeService(name("self"), words, 42);
        await makeSlice(name("self"), words, [1]);
        const asked = await served("p1", at(cluster(42), 80));
        assert.equal(asked.pod, "p1");
        assert.notEqual(asked.saw, pod(1));
      });

      test("a service without endpoints refuses at once, until it has some", async () => {
        await makeService(name("empty"), words, 43);
        const url = at(cluster(43), 80);
        await ends("p3", url, refusedCode);
        // Within one machine a refusal may arrive while the client is still sending, who then hears of the next one of IPv6.
        await until("it is refused at once", () => {
          const asked = ask("p3", url);
          return (!asked.ok && asked.code === refusedCode && asked.seconds < 1.9) || undefined;
        });
        await makeSlice(name("empty"), words, [2]);
        assert.equal((await served("p3", url)).pod, "p2");
      });

      test("a node port and an external address are served from outside, masqueraded", async () => {
        const ports = [{ name: "web", port: 80, targetPort: 8080, nodePort: family === "IPv4" ? 30_080 : 30_086 }];
        await makeService(name("open"), words, 44, { type: "NodePort", ports, externalIPs: [external] });
        await makeSlice(name("open"), words, [1, 2]);
        for (const url of [at(node, ports[0]?.nodePort ?? 0), at(external, 80)]) {
          const { saw } = await served("out", url);
          assert.notEqual(saw, outside);
          assert.deepEqual([...new Set(askMany("out", url, 30))].sort(), ["p1", "p2"]);
        }
      });

      test("local external traffic stays on the node and keeps its source", async () => {
        const ports = [{ name: "web", port: 80, targetPort: 8080, nodePort: family === "IPv4" ? 30_081 : 30_087 }];
        const spec = { type: "NodePort", ports, externalTrafficPolicy: "Local" };
        await makeService(name("local"), words, 45, spec);
        await makeSlice(name("local"), words, [1, 2]);
        const url = at(node, ports[0]?.nodePort ?? 0);
        assert.equal((await served("out", url)).saw, outside);
        assert.deepEqual([...new Set(askMany("out", url, 20))], ["p1"]);
        await changeSlice(name("local"), words, [2]);
        await ends("out", url, timeoutCode);
        // Pods are led to all endpoints.
        assert.equal((await served("p3", url)).pod, "p2");
      });

      test("a client stays with its endpoint", async () => {
        await makeService(name("sticky"), words, 46, { sessionAffinity: "ClientIP" });
        await makeSlice(name("sticky"), words, [1, 2]);
        await served("p3", at(cluster(46), 80));
        assert.equal(new Set(askMany("p3", at(cluster(46), 80), 20)).size, 1);
      });

      test("a load balancer's ranges keep others out", async () => {
        const vip = family === "IPv4" ? "203.0.113.5" : "fd00:203::5";
        const range = family === "IPv4" ? "192.0.2.0/24" : "fd00:192::/64";
        const elsewhere = family === "IPv4" ? "198.18.0.0/15" : "fd00:198::/64";
        const spec = { type: "LoadBalancer", loadBalancerSourceRanges: [range] };
        await makeService(name("balancer"), words, 47, spec);
        await makeSlice(name("balancer"), words, [1, 2]);
        const body = { status: { loadBalancer: { ingress: [{ ip: vip }] } } };
        await on().client.patch(services, name("balancer"), { type: merge, body, subresource: "status" });
        await served("out", at(vip, 80));
        const others = { spec: { loadBalancerSourceRanges: [elsewhere] } };
        await on().client.patch(services, name("balancer"), { type: merge, body: others });
        await ends("out", at(vip, 80), timeoutCode);
      });

      test("no connection goes to an endpoint after it is removed", async () => {
        await makeService(name("moving"), words, 48);
        await makeSlice(name("moving"), words, [1, 2]);
        const url = at(cluster(48), 80);
        await until("both endpoints answer", () => new Set(askMany("p3", url, 20)).size === 2 || undefined);
        const rules = () => rulesNow(family);
        const written = rules();
        await changeSlice(name("moving"), words, [1]);
        // Under load until the rules have changed, then none.
        await until("the rules change", () => {
          askMany("p3", url, 2);
          return rules() === written ? undefined : true;
        });
        assert.deepEqual([...new Set(askMany("p3", url, 60))], ["p1"]);
      });

      test("a client of UDP that keeps its port goes to the next endpoint when its own is gone", async () => {
        const ports = [{ name: "dns", port: 53, targetPort: 5353, protocol: "UDP" }];
        await makeService(name("udp"), words, 49, { ports });
        const made = { ports: [{ name: "dns", port: 5353, protocol: "UDP" }] };
        await makeSlice(name("udp"), words, [1], made);
        const answers = (pod: string) =>
          until(`${pod} answers datagrams`, () => on().network.send(cluster(49), 53) === pod || undefined);
        await answers("p1");
        await changeSlice(name("udp"), words, [2]);
        await answers("p2");
      });

      test("a service that is deleted is served no more", async () => {
        const url = at(cluster(41), 80);
        assert.ok(ask("p3", url).ok);
        await on().client.delete(services, name("plain"));
        await until("it is gone", () => !ask("p3", url).ok || undefined);
      });
    });
  }

  test("health, metrics and the mode are told", async () => {
    const page = async (url: string) => (await fetch(url)).text();
    assert.equal((await fetch("http://127.0.0.1:10256/healthz")).status, 200);
    assert.equal(await page("http://127.0.0.1:10249/proxyMode"), mode);
    assert.match(await page("http://127.0.0.1:10249/metrics"), /kubeproxy_sync_proxy_rules_duration_seconds_count \d/);
  });

  test("rules of an earlier proxy are gone, those of others are not", () => {
    assert.doesNotMatch(allRules(), /STALE/);
    assert.match(allRules(), /not ours/);
  });

  test("a proxy that starts again serves what there is", async () => {
    await proxy?.kill();
    await on().client.delete(services, "self-ipv4");
    proxy = await startProxy();
    const url = "http://172.30.0.42:80/";
    await until("the deleted service is gone", () => !ask("p1", url).ok || undefined);
    assert.ok(ask("p3", "http://172.30.0.48:80/").ok);
  });

  test("clean-up leaves nothing of ours", async () => {
    await proxy?.stop();
    const script = fileURLToPath(new URL("../../../services/proxy/dist/main.js", import.meta.url));
    execFileSync(process.execPath, [script, "--cleanup", "--api-dialect=kubernetes"]);
    assert.doesNotMatch(allRules(), /KUBE-|kube-proxy/);
    assert.match(allRules(), /not ours/);
  });
});

const text = (program: string, ...args: readonly string[]): string => execFileSync(program, args, { encoding: "utf8" });

function rulesNow(family: FamilyWords["family"]): string {
  if (mode === "nftables") return text("nft", "-s", "list", "table", family === "IPv4" ? "ip" : "ip6", "kube-proxy");
  return text(family === "IPv4" ? "iptables" : "ip6tables", "-t", "nat", "-S");
}

const allRules = (): string =>
  [text("iptables-save"), text("ip6tables-save"), text("nft", "list", "ruleset")].join("\n");

function leaveStaleRules(): void {
  const comment = ["-m", "comment", "--comment", "not ours"];
  execFileSync("iptables", ["-A", "INPUT", ...comment, "-j", "ACCEPT"]);
  if (mode === "nftables") {
    execFileSync("nft", ["-f", "-"], { input: "add table ip kube-proxy\nadd chain ip kube-proxy STALE\n" });
    execFileSync("iptables-restore", ["--noflush"], { input: "*nat\n:KUBE-SVC-STALE - [0:0]\nCOMMIT\n" });
  } else {
    execFileSync("iptables-restore", ["--noflush"], {
      input: "*nat\n:KUBE-SVC-STALE - [0:0]\n:KUBE-SEP-STALE - [0:0]\n-A KUBE-SVC-STALE -j KUBE-SEP-STALE\nCOMMIT\n",
    });
  }
}
