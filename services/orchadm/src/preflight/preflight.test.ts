import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { initFile, openFileMachine } from "../testing/commands.js";
import { knownRelease, portFree, proxyProgram, reachableName } from "./checks.js";
import { type Check, doubtful, preflight, wrong } from "./preflight.js";

const check = (name: string, ...findings: ReturnType<typeof wrong>[]): Check => ({ name, find: () => findings });

test("errors are told together, and those that are ignored are warnings", async () => {
  const checks = [
    check("Port-6443", wrong("Port 6443 is in use")),
    check("Mem", doubtful("too little")),
    check("X", wrong("x")),
  ];
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  await assert.rejects(preflight(checks, { ignored: ["x"], warn }), {
    message:
      "[preflight] Some fatal errors occurred:\n\t[ERROR Port-6443]: Port 6443 is in use\n[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`",
  });
  assert.deepEqual(warnings, ["\t[WARNING Mem]: too little\n", "\t[WARNING X]: x\n"]);
  await preflight(checks, { ignored: ["All"], warn });
});

test("a port that somebody listens at is in use", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const { port } = address;
  assert.deepEqual(await portFree("127.0.0.1", port).find(), [wrong(`Port ${port} is in use`)]);
  server.close();
  await once(server, "close");
  assert.deepEqual(await portFree("127.0.0.1", port).find(), []);
});

test("a cluster of a release to come, and a machine without a proxy's programs, are doubtful", async () => {
  const found = await knownRelease("OrchVersion", "v1.33.0", "v1.32.4").find();
  assert.deepEqual(
    found.map(({ level }) => level),
    ["warning"],
  );
  assert.match(
    found[0]?.text ?? "",
    /^the version v1\.33\.0 of the cluster is greater than that of this program, v1\.32\.4/,
  );
  assert.deepEqual(await knownRelease("OrchVersion", "v1.32.9", "v1.32.4").find(), []);
  const programs = await Promise.all(["", "iptables", "nftables"].map((mode) => proxyProgram(mode, "/nowhere").name));
  assert.deepEqual(programs, ["FileExisting-iptables", "FileExisting-iptables", "FileExisting-nft"]);
});

test("a name that nobody knows is doubtful, however long its servers take", async () => {
  const clock = createManualClock();
  assert.deepEqual(await reachableName("localhost", clock).find(), []);
  const unknown = reachableName("no-such-machine.invalid", clock).find();
  await clock.pass(2_000);
  assert.deepEqual(await unknown, [doubtful('hostname "no-such-machine.invalid" could not be reached')]);
});

test("init stops where somebody has been before", async () => {
  const machine = openFileMachine();
  const config = machine.write("init.yaml", initFile().replace("10.0.0.5", "127.0.0.91"));
  machine.write("etc/orch/manifests/orch-apiserver.yaml", "x");
  machine.write("var/lib/etcd/member", "x");
  const { code, errors } = await machine.run("init", `--config=${config}`, "--etcd-program=/nowhere/etcd");
  assert.equal(code, 1);
  assert.match(errors, /\[ERROR FileAvailable--etc-orch-manifests-orch-apiserver.yaml\]: .* already exists/);
  assert.match(errors, /\[ERROR DirAvailable--var-lib-etcd\]: .*\/var\/lib\/etcd is not empty/);
  assert.match(errors, /\[ERROR FileExisting-etcd\]: \/nowhere\/etcd not found in system path/);
  machine.close();
});
