import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect } from "node:tls";
import { readClientConfig } from "@orch/client/config.js";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { programs, root, run, type Server, startServer, temporaryFolder } from "./command-line-program.js";

const maps = "/api/v1/namespaces/default/configmaps";
const json = { "Content-Type": "application/json" };
const haveCurl = spawnSync("curl", ["--version"]).status === 0;
const noCurl = haveCurl ? false : "SKIPPED: there is no curl here";
if (!haveCurl) process.stderr.write("\n*** the printed curl lines are not tried: there is no curl here\n\n");

const sh = (t: TestContext, script: string, cwd: string) => run(t, ["sh", "-c", script], { cwd });

for (const dialect of dialects) {
  test(`the lines that a first start prints work as they stand (${dialect})`, { skip: noCurl }, async (t) => {
    const folder = await temporaryFolder(t);
    // A folder with a blank and a quote in its name: what is printed is one word all the same.
    const server = await startServer(t, { dialect, dataDir: join(folder, "it's data"), cwd: folder });
    const lines = server
      .output()
      .split("\n")
      .filter((line) => line.startsWith("  curl "));
    assert.equal(lines.length, 3);
    const [list = "", create = "", watch = ""] = lines;
    const listed = sh(t, list, folder);
    assert.deepEqual(await listed.exit, { code: 0, signal: null }, listed.errors());
    assert.equal(JSON.parse(listed.output()).kind, "NamespaceList");
    const created = sh(t, create, folder);
    await created.exit;
    assert.equal(JSON.parse(created.output()).metadata.name, "hello");
    const watching = sh(t, `exec ${watch.trim()}`, folder);
    await watching.printed(/"ADDED"[\s\S]*"name":\s*"hello"/);
  });

  test(`the client configuration is that of the dialect, and what is in it works (${dialect})`, async (t) => {
    const server = await startServer(t, { dialect });
    const path = join(server.dataDir, "admin.orchconfig");
    const text = await readFile(path, "utf8");
    assert.match(text, new RegExp(`^apiVersion: ${createNaming(dialect).clientConfigApiVersion}$`, "m"));
    const config = await readClientConfig(path);
    assert.equal(config.server, server.url);
    assert.equal(config.token, server.token);
    const { ca, certificate: cert, key } = config;
    assert.equal((await server.ask("/api/v1/namespaces")).status, 200);
    assert.equal(await codeWith(server, { ca, cert, key }), 200);
    assert.equal(await codeWith(server, { ca }), 403);
  });
}

/** The answer to a list of namespaces without a token. */
async function codeWith(server: Server, tls: Record<string, string | undefined>): Promise<number | undefined> {
  const request = httpsRequest({
    host: "127.0.0.1",
    port: server.port,
    path: "/api/v1/namespaces",
    agent: false,
    ...tls,
  });
  request.end();
  const [response] = await once(request, "response");
  response.resume();
  return response.statusCode;
}

test("a server that says that it is ready is", async (t) => {
  const server = await startServer(t);
  assert.equal((await server.ask("/readyz")).status, 200);
  assert.equal((await server.ask("/api/v1/namespaces/default")).status, 200);
});

test("what a first start makes can be read by its owner alone", async (t) => {
  const { dataDir } = await startServer(t);
  const secrets = [...(await readdir(join(dataDir, "pki"))).map((name) => join("pki", name)), "admin.orchconfig"];
  assert.ok(secrets.length >= 8, secrets.join(", "));
  for (const name of secrets) assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);
  for (const name of ["", "pki", "store"]) {
    assert.equal(
      (await stat(join(dataDir, name))).mode & 0o077,
      name === "" ? (await stat(dataDir)).mode & 0o077 : 0,
      name,
    );
  }
});

test("a restart keeps everything, and a new name is added to the certificate", async (t) => {
  const first = await startServer(t);
  const { dataDir } = first;
  const made = await first.ask(maps, {
    method: "POST",
    headers: json,
    body: '{"metadata":{"name":"kept"},"data":{"k":"v"}}',
  });
  assert.equal(made.status, 201);
  const files = ["ca.crt", "ca.key", "admin.crt", "admin.key", "tokens.csv"];
  const contents = (): Promise<readonly string[]> =>
    Promise.all(files.map((name) => readFile(join(dataDir, "pki", name), "utf8")));
  const before = await contents();
  const serving = await readFile(join(dataDir, "pki/serving.crt"), "utf8");
  assert.equal(await nameAccepted(first, "api.example.com"), false);
  assert.equal(await nameAccepted(first, "localhost"), true);
  await stop(first);

  const second = await startServer(t, { dataDir });
  assert.deepEqual(await contents(), before);
  assert.equal(await readFile(join(dataDir, "pki/serving.crt"), "utf8"), serving);
  assert.equal((await second.ask(`${maps}/kept`)).body, made.body);
  await stop(second);

  const third = await startServer(t, { dataDir, args: ["--tls-san=api.example.com,192.0.2.7"] });
  assert.deepEqual(await contents(), before);
  assert.equal(await nameAccepted(third, "api.example.com"), true);
  assert.equal(await nameAccepted(third, "localhost"), true);
  assert.equal((await third.ask(`${maps}/kept`)).body, made.body);
});

async function stop(server: Server): Promise<void> {
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.exit, { code: 0, signal: null }, server.errors());
}

function nameAccepted(server: Server, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: server.port, ca: server.ca, servername }, () => {
      resolve(true);
      socket.destroy();
    });
    socket.on("error", () => resolve(false));
  });
}

test("a second start on the same data says who holds it", async (t) => {
  const server = await startServer(t);
  const second = run(t, [
    programs.standalone,
    `--data-dir=${server.dataDir}`,
    "--secure-port=0",
    "--api-dialect=kubernetes",
  ]);
  assert.equal((await second.exit).code, 1);
  assert.match(second.errors(), new RegExp(`^could not start: [^\\n]* held by process ${server.pid};[^\\n]*\\n$`));
  assert.equal(second.output(), "");
  assert.equal((await server.ask("/readyz")).status, 200);
});

test("a port that is taken is one clear line", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const folder = await temporaryFolder(t);
  const second = run(t, [programs.standalone, `--data-dir=${folder}`, `--secure-port=${port}`]);
  assert.equal((await second.exit).code, 1);
  assert.equal(second.errors(), `could not start: address 127.0.0.1:${port} is already in use by another process\n`);
  assert.equal(second.output(), "");
});

test("ORCH_DATA names the data folder, and --data-dir wins", async (t) => {
  const [byName, byFlag] = [await temporaryFolder(t), await temporaryFolder(t)];
  const env = { ORCH_DATA: byName };
  const named = run(t, [programs.standalone, "--secure-port=0"], { env });
  await named.printed(/ready at/);
  assert.ok((await readdir(byName)).includes("pki"));
  named.child.kill("SIGTERM");
  assert.equal((await named.exit).code, 0);
  await startServer(t, { dataDir: byFlag, env });
  assert.ok((await readdir(byFlag)).includes("pki"));
});

test("users of a token file are known and may do nothing yet, groups of the administrators all", async (t) => {
  const tokens = join(await temporaryFolder(t), "tokens.csv");
  const masters = createNaming("kubernetes").mastersGroup;
  await writeFile(tokens, `one,bob,1\ntwo,ann,2,"${masters},others"\n`);
  const server = await startServer(t, { args: [`--token-auth-file=${tokens}`] });
  const list = { token: "one" };
  const bob = await server.ask(maps, list);
  assert.equal(bob.status, 403);
  assert.match(bob.body, /User \\"bob\\" cannot list resource/);
  assert.equal((await server.ask(maps, { token: "two" })).status, 200);
  assert.equal((await server.ask(maps, { token: "three" })).status, 401);
  assert.equal((await server.ask("/livez", { token: "" })).status, 200);
});

// Elsewhere make would install and compile under the feet of the other tests.
const built = spawnSync("make", ["-q", "-C", root, ".stamps/build"]).status === 0;
const notBuilt = built ? false : "SKIPPED: the tree is not as make built it (make build)";

test("make start passes its arguments on, and a built tree starts again", { skip: notBuilt }, async (t) => {
  const folder = await temporaryFolder(t);
  const args = `--data-dir=${folder} --secure-port=0 --api-dialect=kubernetes`;
  const make = run(t, ["make", "-C", root, "start", `ARGS=${args}`]);
  const [, url = ""] = await make.printed(/ready at (https:\S+)[\s\S]*\?watch=1/);
  assert.match(await readFile(join(folder, "admin.orchconfig"), "utf8"), /^apiVersion: v1$/m);
  assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const pid = await holderOf(folder);
  process.kill(pid, "SIGTERM");
  assert.equal((await make.exit).code, 0, make.errors());
});

/** The process that make started: it says so in the store's lock. */
async function holderOf(folder: string): Promise<number> {
  const [pid] = /\d+/.exec(await readlink(join(folder, "store/lock"))) ?? [];
  assert.ok(pid !== undefined);
  return Number(pid);
}
