// A test of an operator as its author writes it with the JavaScript client: it starts an API server of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";

const token = "a-token-of-this-test";
let folder;
let server;
let core;

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  return port;
}

const answers = (url) =>
  new Promise((resolve) => {
    get(url, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "boats-"));
  const url = `https://127.0.0.1:${await freePort()}`;
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, `${token},admin,admin,"system:masters"\n`);
  server = spawn(
    join(process.env.KUBEBUILDER_ASSETS, "kube-apiserver"),
    [
      `--secure-port=${new URL(url).port}`,
      `--cert-dir=${folder}`,
      `--token-auth-file=${tokens}`,
      "--authorization-mode=RBAC",
    ],
    { stdio: "inherit" },
  );
  while (!(await answers(`${url}/healthz`))) {
    assert.equal(server.exitCode, null, "the API server ended");
    await sleep(20);
  }
  const config = new KubeConfig();
  const caData = (await readFile(join(folder, "apiserver.crt"))).toString("base64");
  config.loadFromClusterAndUser({ name: "test", server: url, caData }, { name: "admin", token });
  core = config.makeApiClient(CoreV1Api);
});

after(async () => {
  server.kill("SIGTERM");
  const [code] = await once(server, "exit");
  await rm(folder, { recursive: true });
  assert.equal(code, 0);
});

test("what is written is read", async () => {
  const body = { metadata: { name: "swan" }, data: { seats: "4" } };
  await core.createNamespacedConfigMap({ namespace: "default", body });
  const { data } = await core.readNamespacedConfigMap({ namespace: "default", name: "swan" });
  assert.deepEqual(data, { seats: "4" });
});
