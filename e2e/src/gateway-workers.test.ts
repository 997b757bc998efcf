import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createReflector } from "@orch/client/reflector.js";
import { ApiError } from "@orch/status/api-error.js";
import { converse, head } from "./bad-input-conversation.js";
import { programs, run, type Server, startServer, temporaryFolder } from "./command-line-program.js";
import { clientOf, clock, isOutage } from "./harness/clients.js";
import { startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";
import { childrenOf, holderOf, isAlive } from "./harness/worker-processes.js";
import { behaviour } from "./suite/behaviour.js";

const workers = 2;
const args = [`--gateway-workers=${workers}`];
const maps = "/api/v1/namespaces/default/configmaps";
const json = { "content-type": "application/json" };
const named = (name: string): string => JSON.stringify({ metadata: { name } });

behaviour("standalone with gateway workers", {
  start: () => startStandalone({ args: ["--secure-port=0", ...args] }),
});

/** One kept connection to one worker. */
interface Line {
  readonly worker: number;
  ask(path: string, post?: string): Promise<{ readonly status: number; readonly body: string }>;
}

async function openLine(t: TestContext, server: Server): Promise<Line> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.ca });
  t.after(() => agent.destroy());
  let client = 0;
  const ask = (path: string, post?: string): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const length = post === undefined ? {} : { ...json, "content-length": Buffer.byteLength(post) };
      const headers = { authorization: `Bearer ${server.token}`, ...length };
      const method = post === undefined ? "GET" : "POST";
      const sent = request(server.url + path, { agent, method, headers }, (response) => {
        client = response.socket.localPort ?? 0;
        let body = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          body += part;
        });
        response.once("end", () => resolve({ status: response.statusCode ?? 0, body })).once("error", reject);
      });
      sent.once("error", reject).end(post);
    });
  assert.equal((await ask("/livez/ping")).status, 200);
  return { worker: holderOf(childrenOf(server.pid), { server: server.port, client }), ask };
}

/** A line to each worker. */
async function lines(t: TestContext, server: Server): Promise<readonly [Line, Line]> {
  const first = await openLine(t, server);
  for (let i = 0; i < 20; i++) {
    const second = await openLine(t, server);
    if (second.worker !== first.worker) return [first, second];
  }
  throw new Error("every connection went to one worker");
}

function totalOf(page: string, name: string, labels = ""): number {
  const series = page.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return series
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

test("connections are dealt out in turn, and what one worker does every other one knows", async (t) => {
  // No controller writes a config map into the namespace that is listed.
  const quiet = "--controllers=*,-root-ca-certificate-publisher-controller";
  const server = await startServer(t, { args: [...args, quiet] });
  const [one, other] = await lines(t, server);

  await t.test("the newest state is read through any", async () => {
    for (let i = 0; i < 50; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one];
      assert.equal((await writer.ask(maps, named(`fresh-${i}`))).status, 201);
      assert.equal((await reader.ask(`${maps}/fresh-${i}`)).status, 200);
    }
  });

  await t.test("pages go on at another one", async () => {
    const seen: string[] = [];
    let token = "";
    for (let i = 0; i === 0 || token !== ""; i++) {
      const page = await [one, other][i % 2]?.ask(`${maps}?limit=7&continue=${token}`);
      const list: { items: { metadata: { name: string } }[]; metadata: { continue?: string } } = JSON.parse(
        page?.body ?? "",
      );
      seen.push(...list.items.map(({ metadata }) => metadata.name));
      token = list.metadata.continue ?? "";
    }
    assert.deepEqual(seen, Array.from({ length: 50 }, (_, i) => `fresh-${i}`).sort());
  });

  await t.test("watches over both protocols see the writes of all", async (one_) => {
    const query = `${maps}?watch=1&resourceVersion=0&fieldSelector=metadata.name=`;
    const first = await converse(one_, server);
    first.socket.write(head(server, { path: `${query}by-one` }));
    const session = connectHttp2(server.url, { ca: server.ca });
    one_.after(() => session.destroy());
    let events = "";
    const stream = session.request({ authorization: `Bearer ${server.token}`, ":path": `${query}by-other` });
    stream.setEncoding("utf8").on("data", (part: string) => {
      events += part;
    });
    assert.equal((await one.ask(maps, named("by-one"))).status, 201);
    assert.equal((await other.ask(maps, named("by-other"))).status, 201);
    await first.until(/"ADDED".*"name":"by-one"/);
    await until("the event over HTTP/2", () => events.includes('"name":"by-other"') || undefined);
  });
});

test("metrics are those of all processes, from whomever they are asked, and never go back", async (t) => {
  const server = await startServer(t, { args });
  const [one, other] = await lines(t, server);
  // Not those of the controllers, which look at all namespaces.
  const ofSecrets = 'resource="secrets",subresource="",scope="namespace"';
  const gets = async (line: Line): Promise<number> =>
    totalOf((await line.ask("/metrics")).body, "apiserver_request_total", ofSecrets);
  const secrets = "/api/v1/namespaces/default/secrets";
  for (let i = 0; i < 5; i++) await one.ask(secrets);
  for (let i = 0; i < 7; i++) await other.ask(secrets);
  // A request is counted once it is over, which is after its answer.
  await until("all are counted", async () => ((await gets(one)) === 12 ? true : undefined));
  assert.equal(await gets(other), 12);
  const { body } = await one.ask("/metrics");
  assert.equal(totalOf(body, "orch_gateway_workers"), workers);
  assert.equal(totalOf(body, "apiserver_request_duration_seconds_count", ofSecrets), 12);
  assert.equal(body.match(/^# TYPE apiserver_request_total /gm)?.length, 1);
  assert.equal(totalOf(body, "kubernetes_feature_enabled", '"APIResponseCompression"'), 1, "a gate is on once");
  assert.ok(totalOf(body, "orch_watch_cache_revision") > 0, "the main process's are among them");
  // A worker that ends takes nothing with it that has been shown.
  process.kill(other.worker, "SIGKILL");
  assert.equal(await gets(one), 12);
  await until("it is started again", async () => {
    assert.equal(await gets(one), 12);
    return totalOf((await one.ask("/metrics")).body, "orch_gateway_worker_restarts_total") === 1 || undefined;
  });
  assert.equal(await gets(one), 12);
});

test("seats are divided, not multiplied", async (t) => {
  const seats = ["--max-requests-inflight=61", "--max-mutating-requests-inflight=0"];
  const plain = ["--enable-priority-and-fairness=false", "--max-requests-inflight=1"];
  const server = await startServer(t, { args: [...args, ...seats] });
  const total = totalOf((await server.ask("/metrics")).body, "apiserver_flowcontrol_nominal_limit_seats");
  const alone = await startServer(t, { args: seats });
  const expected = totalOf((await alone.ask("/metrics")).body, "apiserver_flowcontrol_nominal_limit_seats");
  // A level's part is rounded up, in each worker.
  assert.ok(total >= expected && total <= expected + 8, `${total} seats instead of ${expected}`);
  const least = await startServer(t, { args: [...args, ...plain] });
  assert.equal((await least.ask(maps)).status, 200, "each worker has one seat at least");
});

test("a worker that is killed is replaced, the other one serves, and watchers miss nothing", async (t) => {
  const target = await startStandalone({ dialect: "orch", args: ["--secure-port=0", ...args] });
  const abort = new AbortController();
  const client = await clientOf(target);
  const collection = { group: "", version: "v1", resource: "configmaps", namespace: "default" };
  const seen: string[] = [];
  const handlers = { added: (object: { metadata: { name?: string } }) => void seen.push(object.metadata.name ?? "") };
  const followers = [1, 2, 3, 4].map(() =>
    createReflector({ client, collection, clock, random: Math.random, handlers }),
  );
  const runs = followers.map((follower) => follower.run(abort.signal));
  t.after(async () => {
    abort.abort();
    await Promise.all(runs);
    await client.close();
    await target.stop();
  });
  await Promise.all(followers.map(({ synced }) => synced));
  const pid = target.process.pid ?? 0;
  for (let round = 0; round < 4; round++) {
    const before = childrenOf(pid);
    assert.equal(before.length, workers);
    const victim = before[round % workers] ?? 0;
    await client.create(collection, { metadata: { name: `before-${round}` } });
    process.kill(victim, "SIGKILL");
    // What was on its connections is lost; asked again it is answered by the other one.
    await until("a write is acknowledged", () =>
      client.create(collection, { metadata: { name: `after-${round}` } }).then(
        () => true,
        (error: unknown) => {
          // What was lost may have been the answer alone.
          if (ApiError.from(error).reason === "AlreadyExists") return true;
          if (isOutage(error)) return undefined;
          throw error;
        },
      ),
    );
    await until("it is replaced", () => {
      const now = childrenOf(pid);
      // One that was killed stays among them until its parent has heard of it.
      return (now.length === workers && !now.includes(victim)) || undefined;
    });
    await until("all serve", async () => {
      const page = await metricsOf(target.urls[0] ?? "", target.pki);
      return totalOf(page, "orch_gateway_workers") === workers || undefined;
    });
  }
  const names = [0, 1, 2, 3].flatMap((i) => [`after-${i}`, `before-${i}`]).sort();
  await until("every follower has everything", () =>
    followers.every(
      ({ store }) =>
        [...store.values()]
          .map((o) => o.metadata.name ?? "")
          .sort()
          .join() === names.join(),
    )
      ? true
      : undefined,
  );
  // A follower that had to begin anew would have been told of an object twice.
  assert.equal(seen.length, names.length * followers.length);
});

function metricsOf(url: string, pki: { readonly ca: string; readonly adminToken: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${pki.adminToken}` };
    const sent = request(`${url}/metrics`, { ca: pki.ca, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      response.once("end", () => resolve(body)).once("error", reject);
    });
    sent.once("error", reject).end();
  });
}

test("a connection that was handed over is under the same limits of time", async (t) => {
  const server = await startServer(t, { args: [...args, "--request-timeout=1s"] });
  const slow = await converse(t, server);
  slow.socket.write("GET /api HTTP/1.1\r\nHost: localhost\r\n");
  assert.match(await slow.ended, /^HTTP\/1\.1 408 /);
});

test("all workers killed at once: they come back on the same port", async (t) => {
  const server = await startServer(t, { args });
  for (const pid of childrenOf(server.pid)) process.kill(pid, "SIGKILL");
  await until("it serves", async () => {
    const answer = await server.ask("/readyz").catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
  assert.equal((await server.ask(maps)).status, 200);
});

test("a main process that is killed leaves no process, and the next start nothing of its sockets", async (t) => {
  const server = await startServer(t, { args });
  const pids = childrenOf(server.pid);
  assert.equal(pids.length, workers);
  const folders = async (): Promise<number> =>
    (await readdir(server.dataDir)).filter((name) => name.startsWith("workers-")).length;
  server.child.kill("SIGKILL");
  await until("its workers have ended", () => pids.every((pid) => !isAlive(pid)) || undefined);
  assert.equal(await folders(), 1);
  const again = await startServer(t, { args, dataDir: server.dataDir });
  assert.equal(await folders(), 1);
  again.child.kill("SIGTERM");
  assert.deepEqual(await again.exit, { code: 0, signal: null }, again.errors());
  assert.equal(await folders(), 0);
});

test("a stop that every process is told of, as by a terminal: watches end whole, writes are answered", async (t) => {
  const server = await startServer(t, { args: [...args, "--shutdown-delay-duration=4s"] });
  const pids = childrenOf(server.pid);
  const path = `${maps}?watch=1&resourceVersion=0&allowWatchBookmarks=true`;
  const watches = await Promise.all(Array.from({ length: 6 }, () => converse(t, server)));
  const clients = watches.map(({ socket }) => socket.localPort ?? 0);
  assert.equal(new Set(clients.map((client) => holderOf(pids, { server: server.port, client }))).size, workers);
  for (const { socket } of watches) socket.write(head(server, { path }));
  await Promise.all(watches.map((watch) => watch.until(/200 OK/)));
  for (const pid of [server.pid, ...pids]) process.kill(pid, "SIGINT");
  await until("no worker is ready", async () => {
    const codes = await Promise.all(Array.from({ length: 4 }, async () => (await server.ask("/readyz")).status));
    return codes.every((code) => code === 500) || undefined;
  });
  const made = await server.ask(maps, { method: "POST", headers: json, body: named("late") });
  assert.equal(made.status, 201, made.body);
  for (const { ended } of watches) {
    const text = await ended;
    assert.match(text, /"ADDED".*"name":"late"/);
    assert.match(text, /"BOOKMARK"/);
    assert.match(text, /\r\n0\r\n\r\n$/, "the last chunk");
  }
  assert.deepEqual(await server.exit, { code: 0, signal: null }, server.errors());
  assert.deepEqual(pids.filter(isAlive), []);
  const news = server
    .errors()
    .split("\n")
    // A machine with much else to do blocks an event loop, too.
    .filter((line) => /"level":"(?:warn|error)"/.test(line) && !line.includes("the event loop was blocked"));
  assert.deepEqual(
    news.filter((line) => !line.includes("health check failed")),
    [],
  );
});

test("what cannot be is refused in a sentence", async (t) => {
  const folder = await temporaryFolder(t);
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await until("the port is taken", () => taken.listening || undefined);
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const rows: readonly (readonly [flags: readonly string[], code: number, says: RegExp])[] = [
    [
      ["--gateway-workers=-1"],
      2,
      /^orch: invalid argument "-1" for "--gateway-workers" flag: must be between 0 and 64\b/,
    ],
    [["--gateway-workers=two"], 2, /must be an integer/],
    [
      [...args, `--data-dir=${join(folder, "x".repeat(100))}`],
      1,
      /^could not start: --gateway-workers: sockets in .* would have paths of \d+ bytes and the system takes 107: choose a shorter --data-dir\n$/,
    ],
    [
      [...args, `--secure-port=${port}`],
      1,
      /^could not start: address 127\.0\.0\.1:\d+ is already in use by another process\n$/,
    ],
  ];
  for (const [flags, code, says] of rows) {
    const running = run(t, [programs.standalone, `--data-dir=${join(folder, "d")}`, ...flags]);
    assert.deepEqual(await running.exit, { code, signal: null }, running.errors());
    assert.match(running.errors(), says);
  }
  const orphan = run(t, [programs.standalone.replace("main.js", "workers/main.js")]);
  assert.deepEqual(await orphan.exit, { code: 2, signal: null });
  assert.match(orphan.errors(), /is started by orch --gateway-workers/);
});
