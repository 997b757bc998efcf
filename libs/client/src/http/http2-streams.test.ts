import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { type TestContext, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { testCertificate, testKey } from "../testing/test-certificate.js";
import { watch } from "../watch.js";
import { createClient } from "./http.js";

const configmaps = { group: "", version: "v1", resource: "configmaps" };

type Answer = (req: Http2ServerRequest, res: Http2ServerResponse) => void;

/** A server that speaks HTTP/2 alone. */
async function setup(t: TestContext, answer: Answer, settings: object = {}) {
  const sessions = new Set<ServerHttp2Session>();
  let connections = 0;
  const server = createSecureServer({ cert: testCertificate, key: testKey, settings }, answer);
  server.on("session", (session) => {
    connections++;
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  const client = createClient(
    {
      server: `https://127.0.0.1:${address.port}`,
      namespace: "default",
      ca: testCertificate,
      token: "t0ken",
      insecureSkipTlsVerify: false,
    },
    { multiplexed: true },
  );
  t.after(async () => {
    await client.close();
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { client, sessions, connections: () => connections };
}

const line = (name: string): string =>
  `${JSON.stringify({ type: "ADDED", object: { metadata: { name, resourceVersion: "1" } } })}\n`;

test("many watches share one connection, and each gets its own events", async (t) => {
  const { client, connections } = await setup(t, (req, res) => {
    const name = new URL(req.url, "https://x").searchParams.get("labelSelector") ?? "";
    assert.equal(req.headers["authorization"], "Bearer t0ken");
    res.writeHead(200, { "content-type": "application/json" });
    res.end(line(name));
  });
  const seen = await Promise.all(
    Array.from({ length: 150 }, async (_, i) => {
      for await (const { object } of watch(client, configmaps, { labelSelector: `n=${i}` }))
        return object.metadata.name;
      return undefined;
    }),
  );
  assert.deepEqual(
    seen,
    Array.from({ length: 150 }, (_, i) => `n=${i}`),
  );
  assert.equal(connections(), 1);
});

test("one that is not read does not stop the others", async (t) => {
  const { client } = await setup(t, (req, res) => {
    res.writeHead(200, { "content-type": "application/json" });
    if (req.url.includes("slow")) res.write(line("x").padStart(4 * 1024 * 1024, " "));
    else res.end(line("fast"));
  });
  const slow = await client.stream({ method: "GET", path: "/slow" });
  for (let i = 0; i < 5; i++) {
    for await (const { object } of watch(client, configmaps)) assert.equal(object.metadata.name, "fast");
  }
  slow.destroy();
});

test("a refusal becomes the error it stands for", async (t) => {
  const { client } = await setup(t, (_req, res) => {
    res.writeHead(410, { "content-type": "application/json" });
    const status = { kind: "Status", status: "Failure", reason: "Expired", message: "too old", code: 410 };
    res.end(JSON.stringify(status));
  });
  await assert.rejects(client.stream({ method: "GET", path: "/x" }), { reason: "Expired", message: "too old" });
});

test("a connection that breaks ends its watches, and the next one opens another", async (t) => {
  const { client, sessions, connections } = await setup(t, (_req, res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.write(line("a"));
  });
  const events = watch(client, configmaps);
  assert.equal((await events.next()).done, false);
  for (const session of sessions) session.destroy();
  await assert.rejects(events.next(), (error) => error instanceof ApiError && error.reason === "ServiceUnavailable");
  const again = watch(client, configmaps);
  assert.equal((await again.next()).done, false);
  await again.return();
  assert.equal(connections(), 2);
});

test("a server that says goodbye keeps what runs and gets nothing new", async (t) => {
  const answers: Http2ServerResponse[] = [];
  const { client, sessions, connections } = await setup(t, (_req, res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.write(line("a"));
    answers.push(res);
  });
  const first = watch(client, configmaps);
  await first.next();
  const [session] = sessions;
  session?.goaway();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const second = watch(client, configmaps);
  await second.next();
  assert.equal(connections(), 2);
  answers[0]?.end(line("b"));
  assert.equal((await first.next()).done, false);
  assert.equal((await first.next()).done, true);
  await second.return();
});

test("the signal ends a watch with its reason, a server that is not there is unavailable", async (t) => {
  const { client } = await setup(t, (_req, res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.write(line("a"));
  });
  const abort = new AbortController();
  const events = watch(client, configmaps, { signal: abort.signal });
  await events.next();
  const reason = new Error("enough");
  const next = events.next();
  abort.abort(reason);
  await assert.rejects(next, reason);
  const nobody = createClient(
    { server: "https://127.0.0.1:1", namespace: "default", insecureSkipTlsVerify: true },
    { multiplexed: true },
  );
  await assert.rejects(watch(nobody, configmaps).next(), { reason: "ServiceUnavailable" });
  await nobody.close();
});
