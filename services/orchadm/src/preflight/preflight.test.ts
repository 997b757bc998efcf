import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { initFile, openFileMachine } from "../testing/commands.js";
import { portFree } from "./checks.js";
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
