import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Conversation, codesOf, converse, head } from "./bad-input-conversation.js";
import { type Server, startServer, temporaryFolder } from "./command-line-program.js";
import { until } from "./harness/until.js";

const maps = "/api/v1/namespaces/default/configmaps";
const json = { "Content-Type": "application/json" };

/** Bytes of an answer, head and body, as its head announces them. */
function lengthOf(answer: string): number {
  const bodyAt = answer.indexOf("\r\n\r\n") + 4;
  const length = /^content-length: (\d+)\r$/im.exec(answer.slice(0, bodyAt))?.[1];
  return bodyAt + Number(length);
}

async function watch(t: TestContext, server: Server): Promise<Conversation> {
  const conversation = await converse(t, server);
  conversation.socket.write(head(server, { path: `${maps}?watch=1&resourceVersion=0&allowWatchBookmarks=true` }));
  await conversation.until(/200 OK/);
  return conversation;
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal}: readiness falls, watches end whole, and the next start finds everything`, async (t) => {
    const server = await startServer(t, { args: ["--shutdown-delay-duration=5s"] });
    assert.equal((await server.ask("/readyz")).status, 200);
    const open = await watch(t, server);
    server.child.kill(signal);

    // During the delay: not ready, alive, and serving.
    await untilNotReady(server);
    const verbose = await server.ask("/readyz?verbose");
    assert.match(verbose.body, /\[-\]shutdown/);
    assert.equal((await server.ask("/livez")).status, 200);
    const made = await server.ask(maps, { method: "POST", headers: json, body: '{"metadata":{"name":"late"}}' });
    assert.equal(made.status, 201, made.body);

    const text = await open.ended;
    assert.match(text, /"ADDED".*"name":"late"/);
    assert.match(text, /\r\n0\r\n\r\n$/, "the last chunk");
    assert.deepEqual(await server.exit, { code: 0, signal: null }, server.errors());

    const again = await startServer(t, { dataDir: server.dataDir });
    assert.equal((await again.ask(`${maps}/late`)).body, made.body);
  });
}

async function untilNotReady(server: Server): Promise<void> {
  while ((await server.ask("/readyz")).status === 200);
}

test("a server whose output nobody reads any more serves on, and ends when it is told to", async (t) => {
  const server = await startServer(t);
  server.child.stdout?.destroy();
  server.child.stderr?.destroy();
  // Its checks may tell of the log, into which the controllers and the stop write; whoever asks is answered.
  for (let i = 0; i < 5; i++) assert.equal((await server.ask(maps)).status, 200);
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.exit, { code: 0, signal: null });
});

test("a list under way is sent whole before the process ends", async (t) => {
  const server = await startServer(t);
  const value = "x".repeat(500_000);
  for (let i = 0; i < 40; i++) {
    const body = JSON.stringify({ metadata: { name: `large-${i}` }, data: { k: value } });
    assert.equal((await server.ask(maps, { method: "POST", headers: json, body })).status, 201);
  }
  const { socket, until, ended } = await converse(t, server);
  socket.write(head(server, { path: maps }));
  await until(/200 OK/);
  socket.pause();
  server.child.kill("SIGTERM");
  socket.resume();
  const text = await ended;
  assert.deepEqual(codesOf(text), [200]);
  assert.match(text, /large-9/);
  assert.equal(text.length, lengthOf(text), "all that the head announces");
  assert.equal((await server.exit).code, 0);
});

test("a second signal ends the process at once", async (t) => {
  const server = await startServer(t, { args: ["--shutdown-delay-duration=5m"] });
  server.child.kill("SIGTERM");
  await untilNotReady(server);
  server.child.kill("SIGTERM");
  assert.deepEqual(await server.exit, { code: 1, signal: null });
});

test("PUT /debug/flags/v changes how much is written, for who may", async (t) => {
  const server = await startServer(t, {});
  const put = (body: string) => server.ask("/debug/flags/v", { method: "PUT", body });
  assert.equal((await server.ask("/debug/flags/v", { method: "PUT", body: "4", token: "" })).status, 403);
  assert.equal((await put("much")).status, 400);
  assert.doesNotMatch(server.errors(), /"level":"debug"/);
  assert.equal((await put("4")).status, 200);
  await until("the log says more", async () => (/"level":"debug"/.test(server.errors()) ? true : undefined));
});

test("systemd is told when it is ready and when it stops; signals change the log, and a hangup ends nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const told = join(folder, "told");
  await writeFile(join(folder, "systemd-notify"), `#!/bin/sh\necho "$@" >> ${told}\n`, { mode: 0o755 });
  const env = { NOTIFY_SOCKET: join(folder, "socket"), PATH: `${folder}:${process.env["PATH"]}` };
  const server = await startServer(t, { env });
  const line = async (): Promise<readonly string[]> => (await readFile(told, "utf8").catch(() => "")).split("\n");
  await until("ready", async () =>
    (await line())[0] === `--ready --status=serving --pid=${server.pid}` ? true : undefined,
  );
  server.child.kill("SIGHUP");
  server.child.kill("SIGUSR2");
  await until("the log says more", async () => {
    await server.ask("/readyz");
    return /"level":"debug"/.test(server.errors()) ? true : undefined;
  });
  assert.match(server.errors(), /"written":"debug"/);
  assert.equal((await server.ask("/readyz")).status, 200);
  server.child.kill("SIGTERM");
  assert.equal((await server.exit).code, 0);
  // Another program tells it, which may outlive the server by a moment.
  const stopping = `STOPPING=1 --status=stopping --pid=${server.pid}`;
  await until("the stop is told", async () => ((await line())[1] === stopping ? true : undefined));
});
