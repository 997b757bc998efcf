import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { proxyConfiguration } from "@orch/component-config/proxy/proxy.js";
import { createNaming } from "@orch/naming/naming.js";
import { systemClock } from "@orch/status/clock.js";
import { jumps } from "../iptables/base.js";
import { chainNames } from "../iptables/words.js";
import { createCluster } from "../model/cluster.js";
import { endpoint, service, slice } from "../testing/objects.js";
import { deleteFlows, deletionOf, staleFlows } from "./conntrack.js";
import { createFlowForgetter } from "./flow-forgetter.js";
import { chainsIn, createIptablesBackend, wordsIn } from "./iptables.js";
import { createNftBackend, isOlder } from "./nft.js";
import { createPrograms, type ProgramResult, type RunProgram } from "./programs.js";
import { systemValues } from "./system-values.js";

const done: ProgramResult = { code: 0, output: "", problem: "" };
const failed = (problem: string): ProgramResult => ({ code: 1, output: "", problem });

describe("connection tracking", () => {
  const dns = { ports: [{ name: "dns", protocol: "UDP", port: 53, nodePort: 30_053 }], type: "NodePort" };
  const portsWith = (addresses: readonly string[], spec: object = dns) => {
    const cluster = createCluster({ hostname: "here", families: ["IPv4"] });
    cluster.service("a/b", service("a/b", { ...spec, externalIPs: ["192.0.2.9"] }));
    const ports = [
      { name: "dns", protocol: "UDP", port: 5353 },
      { name: "web", protocol: "TCP", port: 8080 },
    ];
    cluster.slice(
      "a/s",
      "a/b",
      slice(
        addresses.map((address) => endpoint(address)),
        { ports },
      ),
    );
    return cluster.take()[0]?.ports.IPv4 ?? [];
  };
  const ways = [
    { address: "172.30.0.41", port: 53 },
    { address: "192.0.2.9", port: 53 },
    { address: undefined, port: 30_053 },
  ];

  test("flows to an endpoint that is gone are stale", () => {
    assert.deepEqual(
      staleFlows(portsWith(["10.0.0.1", "10.0.0.2"]), portsWith(["10.0.0.1"])),
      ways.map((way) => ({ ...way, endpoint: "10.0.0.2" })),
    );
  });
  test("flows to a service that had no endpoints are stale", () => {
    assert.deepEqual(
      staleFlows(portsWith([]), portsWith(["10.0.0.1"])),
      ways.map((way) => ({ ...way, endpoint: undefined })),
    );
  });
  test("those of a service that goes are stale, those of TCP never", () => {
    assert.equal(staleFlows(portsWith(["10.0.0.1"]), []).length, 3);
    const web = { ports: [{ name: "web", port: 80 }] };
    assert.deepEqual(staleFlows(portsWith(["10.0.0.1"], web), []), []);
    assert.deepEqual(staleFlows(portsWith(["10.0.0.1"]), portsWith(["10.0.0.1"])), []);
  });
  test("where no endpoint is left each address is one deletion; a node port, which others may have, is one for each", () => {
    const many = portsWith(["10.0.0.1", "10.0.0.2", "10.0.0.3"]);
    for (const after of [[], portsWith([])]) {
      const flows = staleFlows(many, after);
      assert.deepEqual(
        flows.filter(({ address }) => address !== undefined),
        ways.slice(0, 2).map((way) => ({ ...way, endpoint: undefined })),
      );
      assert.deepEqual(
        flows.filter(({ address }) => address === undefined).map(({ endpoint }) => endpoint),
        ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
      );
    }
  });
  test("nobody waits for deletions: they go on one at a time, each once, until it is stopped", async () => {
    const ends: (() => void)[] = [];
    const asked: string[] = [];
    const errors: unknown[] = [];
    const forgetter = createFlowForgetter({
      family: "IPv4",
      onError: (error) => errors.push(error),
      run: async (_command, args) => {
        asked.push(args.at(-1) ?? "");
        await new Promise<void>((resolve) => ends.push(resolve));
        return asked.length === 1 ? failed("no rights") : done;
      },
    });
    const flow = (endpoint: string) => ({ address: "172.30.0.41", port: 53, endpoint });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    forgetter.forget(["a", "b", "b", "c"].map(flow));
    assert.deepEqual(asked, ["a"]);
    ends.shift()?.();
    await turn();
    forgetter.forget([flow("c"), flow("d")]);
    assert.deepEqual([asked, errors.length], [["a", "b"], 1]);
    const stopped = forgetter.stop();
    ends.shift()?.();
    await stopped;
    assert.deepEqual(asked, ["a", "b"]);
    forgetter.forget([flow("e")]);
    assert.deepEqual(asked, ["a", "b", "e"]);
    ends.shift()?.();
    await forgetter.stop();
  });
  test("they are deleted one by one; that there are none is no failure", async () => {
    const flow = { address: "172.30.0.41", port: 53, endpoint: "10.0.0.2" };
    assert.equal(
      deletionOf(flow, "IPv4").join(" "),
      "-D -f ipv4 -p udp --orig-dst 172.30.0.41 --orig-port-dst 53 --dst-nat 10.0.0.2",
    );
    assert.equal(
      deletionOf({ address: undefined, port: 30_053, endpoint: undefined }, "IPv6").join(" "),
      "-D -f ipv6 -p udp --orig-port-dst 30053",
    );
    await deleteFlows([flow], "IPv4", async () => failed("conntrack v1.4.7: 0 flow entries have been deleted."));
    await assert.rejects(
      deleteFlows([flow], "IPv4", async () => failed("no rights")),
      /no rights/,
    );
  });
});

describe("iptables", () => {
  const names = chainNames("KUBE-");
  const all = jumps({ names, product: "kubernetes" });
  const backendWith = (run: RunProgram) => createIptablesBackend({ family: "IPv4", names, jumps: all, run });

  test("a rule's words are arguments", () => {
    assert.deepEqual(wordsIn('-m comment --comment "two words" -j KUBE-SERVICES'), [
      ...["-m", "comment", "--comment", "two words", "-j", "KUBE-SERVICES"],
    ]);
  });
  test("jumps that are missing are inserted with a whole writing", async () => {
    const calls: string[] = [];
    const backend = backendWith(async (program, args) => {
      calls.push([program, ...args].join(" "));
      return args.includes("-C") && args.includes("POSTROUTING") ? failed("no such rule") : done;
    });
    await backend.load({ text: "*nat\nCOMMIT\n", isWhole: false });
    assert.deepEqual(calls, ["iptables-restore -w 5 --noflush --counters"]);
    await backend.load({ text: "*nat\nCOMMIT\n", isWhole: true });
    const inserted = calls.filter((call) => call.includes(" -I "));
    assert.deepEqual(inserted, [
      "iptables -w 5 -t nat -I POSTROUTING -m comment --comment kubernetes postrouting rules -j KUBE-POSTROUTING",
    ]);
    assert.equal(calls.filter((call) => call.includes(" -C ")).length, 14);
  });
  test("a large writing is cut for the program of nf_tables alone", async () => {
    const large = `*nat\n:KUBE-SVC-A - [0:0]\n:KUBE-SERVICES - [0:0]\n${"-A KUBE-SVC-A -j RETURN\n".repeat(2_000)}COMMIT\n`;
    for (const [kind, sections] of [
      ["nf_tables", 2],
      ["legacy", 1],
    ] as const) {
      const inputs: string[] = [];
      const backend = backendWith(async (_program, args, input = "") => {
        if (args.includes("--version")) return { ...done, output: `iptables-restore v1.8.9 (${kind})\n` };
        inputs.push(input);
        return done;
      });
      await backend.load({ text: large, isWhole: false });
      assert.equal(inputs.length, 1);
      assert.equal((inputs[0] ?? "").split("*nat\n").length - 1, sections);
    }
  });
  test("clean-up removes our chains and no others", async () => {
    const saved =
      "*nat\n:PREROUTING ACCEPT [0:0]\n:KUBE-SVC-A - [0:0]\n:MY-CHAIN - [0:0]\n:KUBE-SERVICES - [0:0]\nCOMMIT\n";
    assert.deepEqual(chainsIn(saved).get("nat"), ["PREROUTING", "KUBE-SVC-A", "MY-CHAIN", "KUBE-SERVICES"]);
    const inputs: string[] = [];
    const backend = backendWith(async (program, args, input = "") => {
      if (input !== "") inputs.push(input);
      if (program === "iptables-save") return { ...done, output: saved };
      return args.includes("-D") ? failed("no such rule") : done;
    });
    await backend.cleanUp();
    assert.deepEqual(inputs, [
      "*nat\n:KUBE-SVC-A - [0:0]\n:KUBE-SERVICES - [0:0]\n-X KUBE-SVC-A\n-X KUBE-SERVICES\nCOMMIT\n",
    ]);
  });
  test("what the program says is the failure", async () => {
    const backend = backendWith(async () => failed("line 3 failed"));
    await assert.rejects(backend.load({ text: "x", isWhole: true }), /^Error: iptables-restore: line 3 failed$/);
    assert.match((await backend.problem()) ?? "", /line 3 failed/);
    assert.equal(await backend.isIntact(), false);
  });
});

describe("nftables", () => {
  const backendWith = (version: string, kernel: string, anyKernel = false) => {
    const run: RunProgram = async () => ({ ...done, output: `nftables v${version} (Lester Gooch #5)\n` });
    return createNftBackend({ family: "IPv4", table: "kube-proxy", run, kernel, anyKernel });
  };
  test("old programs and kernels are refused", async () => {
    assert.equal(await backendWith("1.0.6", "6.1.0-18-amd64").problem(), undefined);
    assert.match((await backendWith("1.0.0", "6.1.0").problem()) ?? "", /nft 1\.0\.0 is too old/);
    assert.match((await backendWith("1.0.6", "5.4.0").problem()) ?? "", /kernel 5\.4\.0 is too old/);
    assert.equal(await backendWith("1.0.6", "5.4.0", true).problem(), undefined);
  });
  describe("a large whole writing", () => {
    const parts = ["one\n", "two\n", "three\n"];
    const writing = { text: parts.join(""), isWhole: true, parts };
    const loadedBy = (answer: (input: string) => ProgramResult) => {
      const inputs: string[] = [];
      const run: RunProgram = async (_program, args, input = "") => {
        if (!args.includes("-c")) inputs.push(input);
        return answer(input);
      };
      const backend = createNftBackend({ family: "IPv4", table: "kube-proxy", run, kernel: "6.1", anyKernel: false });
      return { inputs, loading: backend.load(writing) };
    };
    const lookingFor = "flush chain ip kube-proxy services\n";

    test("is one transaction where there are rules already", async () => {
      const { inputs, loading } = loadedBy(() => done);
      await loading;
      assert.deepEqual(inputs, [writing.text]);
    });
    test("is one transaction after the other where there are none", async () => {
      const { inputs, loading } = loadedBy((input) => (input === lookingFor ? failed("No such file") : done));
      await loading;
      assert.deepEqual(inputs, parts);
    });
    test("leaves nothing behind where one of them fails", async () => {
      const { inputs, loading } = loadedBy((input) =>
        input === lookingFor || input === "two\n" ? failed("no room") : done,
      );
      await assert.rejects(loading, /^Error: nft: no room$/);
      assert.deepEqual(inputs, ["one\n", "two\n", "add table ip kube-proxy\ndelete table ip kube-proxy\n"]);
    });
  });
  test("versions are compared by their numbers", () => {
    assert.ok(isOlder("5.9.1", "5.13"));
    assert.ok(!isOlder("5.13.0-x", "5.13"));
    assert.ok(!isOlder("10.0", "5.13"));
    assert.ok(isOlder("", "1.0.1"));
  });
});

describe("values of the kernel", () => {
  const { conntrack, iptables } = proxyConfiguration(createNaming("orch")).defaults();
  test("the limit of connections grows with the cores", () => {
    const told = (cpus: number) => systemValues({ conntrack, iptables }, { cpus, routesLocalnet: false });
    assert.deepEqual(told(2), [
      { path: "net/netfilter/nf_conntrack_max", value: "131072" },
      { path: "net/netfilter/nf_conntrack_tcp_timeout_established", value: "86400" },
      { path: "net/netfilter/nf_conntrack_tcp_timeout_close_wait", value: "3600" },
    ]);
    assert.equal(told(8)[0]?.value, "262144");
  });
  test("zero leaves a value what it is", () => {
    const none = { ...conntrack, maxPerCore: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" };
    assert.deepEqual(systemValues({ conntrack: none, iptables }, { cpus: 2, routesLocalnet: true }), [
      { path: "net/ipv4/conf/all/route_localnet", value: "1" },
    ]);
  });
});

test("a program is given its input, and a missing one is a failure", async () => {
  const run = createPrograms({ clock: systemClock, environment: process.env });
  assert.deepEqual(await run("cat", [], "text"), { code: 0, output: "text", problem: "" });
  assert.equal((await run("no-such-program", [])).code, -1);
  const { code, problem } = await run("sh", ["-c", "echo no >&2; exit 3"]);
  assert.deepEqual([code, problem], [3, "no"]);
});
