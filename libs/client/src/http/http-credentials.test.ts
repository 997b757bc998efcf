import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createProxy } from "node:http";
import { createSecureServer } from "node:http2";
import { connect } from "node:net";
import { test } from "node:test";
import { TLSSocket } from "node:tls";
import { type CredentialSource, type Credentials, renewedCredentials } from "../credentials/credentials.js";
import { testCertificate, testKey } from "../testing/test-certificate.js";
import { wiredClient } from "../testing/wired-client.js";
import { createClient } from "./http.js";

const configmaps = { group: "", version: "v1", resource: "configmaps", namespace: "obs" };

/** Credentials that count how often they were got: `Bearer 1`, `Bearer 2`… */
function counted(obtain?: () => Promise<Credentials>): CredentialSource {
  let count = 0;
  return renewedCredentials({
    obtain: async () => ({ credentials: (await obtain?.()) ?? { authorization: `Bearer ${++count}` } }),
    now: () => 0,
  });
}

test("a user and password, and whom to act as, are told in headers", async (t) => {
  const { server, client } = await wiredClient(t, {
    basic: { username: "ann", password: "p:w" },
    impersonate: { user: "bob", groups: ["a", "b"] },
  });
  await client.list(configmaps);
  const headers = server.lastHeaders();
  assert.equal(headers["authorization"], `Basic ${Buffer.from("ann:p:w").toString("base64")}`);
  assert.deepEqual([headers["impersonate-user"], headers["impersonate-group"]], ["bob", "a, b"]);
});

test("what was refused is tried once more with other credentials, and then answered", async (t) => {
  const { server, client } = await wiredClient(t, { credentials: counted() });
  const refuse = () => server.next((_req, res) => res.writeHead(401).end());
  refuse();
  await client.create(configmaps, { metadata: { name: "a" } });
  assert.equal(server.lastHeaders()["authorization"], "Bearer 2");
  assert.equal(server.requests.length, 2);
  refuse();
  refuse();
  await assert.rejects(client.list(configmaps), { reason: "Unauthorized", code: 401 });
  assert.equal(server.requests.length, 4);
  await client.list(configmaps);
  assert.equal(server.lastHeaders()["authorization"], "Bearer 3");
});

test("what was refused is not tried again with the same", async (t) => {
  const fixed = await wiredClient(t, { token: "t" });
  fixed.server.next((_req, res) => res.writeHead(401).end());
  await assert.rejects(fixed.client.list(configmaps), { code: 401 });
  assert.equal(fixed.server.requests.length, 1);
  const same = await wiredClient(t, { credentials: counted(async () => ({ authorization: "Bearer t" })) });
  same.server.next((_req, res) => res.writeHead(401).end());
  await assert.rejects(same.client.list(configmaps), { code: 401 });
  assert.equal(same.server.requests.length, 1);
});

test("without credentials nothing is sent, and who waits for them may give up", async (t) => {
  const missing = await wiredClient(t, {
    credentials: counted(async () => {
      throw new Error("plugin");
    }),
  });
  await assert.rejects(missing.client.list(configmaps), { reason: "Unauthorized", message: "no credentials: plugin" });
  assert.equal(missing.server.requests.length, 0);
  const never = await wiredClient(t, { credentials: counted(() => new Promise(() => {})) });
  const abort = new AbortController();
  const listing = assert.rejects(never.client.list(configmaps, { signal: abort.signal }), /enough/);
  abort.abort(new Error("enough"));
  await listing;
});

const pair = { certificate: testCertificate, key: testKey };

test("another certificate takes another connection, and what runs on the old one goes on", async (t) => {
  const peers: boolean[] = [];
  const open: (() => void)[] = [];
  const tls = { cert: testCertificate, key: testKey, ca: testCertificate, requestCert: true, allowHTTP1: true };
  const server = createSecureServer({ ...tls, rejectUnauthorized: false }, (req, res) => {
    const socket = req.stream?.session?.socket ?? req.socket;
    peers.push(socket instanceof TLSSocket && socket.authorized);
    res.writeHead(200, { "content-type": "application/json" });
    if (req.url === "/stream") open.push(() => res.end("end"));
    else res.end("{}");
    if (req.url === "/stream") res.write("begin ");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  for (const multiplexed of [true, false]) {
    let credentials: Credentials = { authorization: "Bearer t" };
    const client = createClient(
      {
        server: `https://127.0.0.1:${address.port}`,
        namespace: "default",
        ca: testCertificate,
        insecureSkipTlsVerify: false,
        credentials: { current: () => credentials, refused: () => {} },
      },
      { multiplexed },
    );
    peers.length = 0;
    const body = await client.stream({ method: "GET", path: "/stream" });
    credentials = pair;
    await client.raw({ method: "GET", path: "/x" });
    assert.deepEqual(peers, [false, true]);
    open.pop()?.();
    let text = "";
    for await (const chunk of body) text += chunk.toString();
    assert.equal(text, "begin end");
    const again = await client.stream({ method: "GET", path: "/stream" });
    assert.deepEqual(peers, [false, true, true]);
    again.destroy();
    await client.close();
  }
});

test("a proxy is asked for a tunnel, and one that refuses is a server out of reach", async (t) => {
  const asked: (string | undefined)[] = [];
  let refuses = false;
  const proxy = createProxy().on("connect", (req, socket) => {
    asked.push(`${req.url} ${req.headers["proxy-authorization"]}`);
    if (refuses) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const [host, port] = (req.url ?? "").split(":");
    const through = connect(Number(port), host, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    through.on("error", () => socket.destroy()).pipe(socket);
    socket.on("error", () => through.destroy()).pipe(through);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  assert.ok(typeof address === "object" && address !== null);
  const { server, client } = await wiredClient(t, { token: "t", proxyUrl: `http://u:p@127.0.0.1:${address.port}` });
  t.after(() => proxy.close());
  server.put("a", "1");
  assert.equal((await client.list(configmaps)).items.length, 1);
  assert.equal(server.lastHeaders()["authorization"], "Bearer t");
  assert.deepEqual(asked, [`${new URL(server.url).host} Basic ${Buffer.from("u:p").toString("base64")}`]);
  refuses = true;
  const other = createClient({
    server: server.url,
    namespace: "default",
    ca: testCertificate,
    insecureSkipTlsVerify: false,
    proxyUrl: `http://127.0.0.1:${address.port}`,
  });
  t.after(() => other.close());
  await assert.rejects(other.list(configmaps), { reason: "ServiceUnavailable" });
});

test("a server without TLS is spoken to as well", async (t) => {
  const server = createProxy((req, res) =>
    res.end(JSON.stringify({ metadata: { name: req.headers["authorization"] } })),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const client = createClient({
    server: `http://127.0.0.1:${address.port}`,
    namespace: "default",
    insecureSkipTlsVerify: false,
    token: "t",
  });
  t.after(async () => {
    await client.close();
    server.close();
  });
  assert.equal((await client.get(configmaps, "a")).metadata.name, "Bearer t");
});
