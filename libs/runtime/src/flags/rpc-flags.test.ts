import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "../clock.js";
import { createMetrics } from "../metrics.js";
import { readCommandLine } from "./flags.js";
import { isLoopback, rpcFlags, type ServiceTls, serviceTls } from "./rpc-flags.js";

class Refusal extends Error {}

function tlsOf(args: readonly string[], hosts: readonly string[]): Promise<ServiceTls | undefined> {
  const line = readCommandLine({ name: "test", description: "", version: "", flags: rpcFlags }, args);
  assert.ok(line.run);
  return serviceTls(line.values, hosts, {
    clock: createManualClock(),
    log: { info: () => {}, error: () => {} },
    metrics: createMetrics({ release: "1.32", processMetrics: false }),
    read: async (path) => (path === "nowhere" ? Promise.reject(new Error("ENOENT: nowhere")) : "nonsense"),
    refuse: (problem) => {
      throw new Refusal(problem);
    },
  });
}

test("without certificates connections are plain, on one machine alone", async () => {
  for (const host of ["127.0.0.1", "127.8.0.1", "::1", "[::1]", "localhost"]) {
    assert.equal(isLoopback(host), true, host);
    assert.equal(await tlsOf([], [host]), undefined);
  }
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "service.example", "127.0.0.1.example", "localhost.example", ""]) {
    assert.equal(isLoopback(host), false, host);
    await assert.rejects(tlsOf([], ["127.0.0.1", host]), (error) => {
      assert.ok(error instanceof Refusal);
      assert.match(error.message, /plain connections .* are for one machine, .* --rpc-ca-file.* are needed/);
      return true;
    });
  }
  assert.equal(await tlsOf([], []), undefined, "Unix domain sockets are no hosts");
});

const all = ["--rpc-ca-file=a", "--rpc-cert-file=b", "--rpc-key-file=c"];
const rows: ReadonlyArray<readonly [args: readonly string[], problem: RegExp]> = [
  [all.slice(1), /go together: --rpc-ca-file is needed/],
  [[all[0] ?? "", all[2] ?? ""], /go together: --rpc-cert-file is needed/],
  [all.slice(0, 2), /go together: --rpc-key-file is needed/],
  [all, /authority's file holds no certificate/],
  [["--rpc-ca-file=nowhere", ...all.slice(1)], /ENOENT: nowhere/],
  [[...all, "--rpc-trust-domain=a/b"], /--rpc-trust-domain: "a\/b" is no domain/],
  [[...all, "--rpc-trust-domain="], /--rpc-trust-domain: "" is no domain/],
];
for (const [args, problem] of rows) {
  test(`is refused at the start: ${args.join(" ")}`, async () => {
    await assert.rejects(
      tlsOf(args, ["127.0.0.1"]),
      (error) => error instanceof Refusal && problem.test(error.message),
    );
  });
}
