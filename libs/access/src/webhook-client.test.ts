import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer as createHttpServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, type TestContext, test } from "node:test";
import { WebhookError, type WebhookFailure } from "@orch/auth/webhook/ask.js";
import type { ClientConfig } from "@orch/client/config.js";
import { toldSpan } from "@orch/status/testing/told-span.js";
import { makeCertificates } from "@orch/store/testing/certificates.js";
import { type WebhookClient, type WebhookClientOptions, webhookClient } from "./webhook-client.js";

const certificates = makeCertificates();
after(() => rmSync(certificates.directory, { recursive: true, force: true }));
const pem = (path: string): string => readFileSync(path, "utf8");
const ca = pem(certificates.server.trustedCaFile);
const serving: ServerOptions = {
  cert: pem(certificates.server.certFile),
  key: pem(certificates.server.keyFile),
  ca,
};
const now = Date.parse("2030-01-01T00:00:00Z");

/** A client of a server on loopback that ends with the test. */
async function setUp(
  t: TestContext,
  listener: RequestListener,
  {
    tls = {},
    config = {},
    options = {},
    path = "",
  }: {
    readonly tls?: ServerOptions;
    readonly config?: Partial<ClientConfig>;
    readonly options?: Partial<WebhookClientOptions>;
    readonly path?: string;
  } = {},
): Promise<WebhookClient & { connections(): number }> {
  let connections = 0;
  const server = createServer({ ...serving, ...tls }, listener);
  server.on("secureConnection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = portOf(server.address());
  const client = clientOf(`https://127.0.0.1:${port}${path}`, config, options);
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { ...client, connections: () => connections };
}

function portOf(address: AddressInfo | string | null): AddressInfo {
  assert.ok(typeof address === "object" && address !== null);
  return address;
}

const clientOf = (server: string, config: Partial<ClientConfig> = {}, options: Partial<WebhookClientOptions> = {}) =>
  webhookClient(
    { server, namespace: "default", insecureSkipTlsVerify: false, ca, ...config },
    { now: () => now, ...options },
  );

const json = (response: ServerResponse, value: unknown): void => void response.end(JSON.stringify(value));

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

const fails = (client: WebhookClient, expected: WebhookFailure, message: RegExp, timeoutMs = 5000): Promise<void> =>
  assert.rejects(client.post({ secret: "s3cret" }, { timeoutMs }), (error) => {
    assert.ok(error instanceof WebhookError, String(error));
    assert.deepEqual(error.failure, expected);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /s3cret/);
    return true;
  });

test("a question goes by POST to the very address, with the token, and connections are kept", async (t) => {
  const seen: unknown[] = [];
  const client = await setUp(
    t,
    async (request, response) => {
      const { method, url, headers } = request;
      seen.push({ method, url, type: headers["content-type"], authorization: headers.authorization });
      json(response, { echo: JSON.parse(await bodyOf(request)) });
    },
    { config: { token: "t0ken" }, path: "/authorize?x=1" },
  );
  assert.deepEqual(await client.post({ a: "ü" }, { timeoutMs: 5000 }), { echo: { a: "ü" } });
  for (let b = 0; b < 5; b++) assert.deepEqual(await client.post({ b }, { timeoutMs: 5000 }), { echo: { b } });
  const expected = {
    method: "POST",
    url: "/authorize?x=1",
    type: "application/json",
    authorization: "Bearer t0ken",
  };
  assert.deepEqual(seen, Array(6).fill(expected));
  // The first may still be busy with the end of its answer when the second question comes.
  assert.ok(client.connections() <= 2);
});

test("a question that is traced has a span of its own, of which the webhook is told", async (t) => {
  const seen: unknown[] = [];
  const answer: RequestListener = ({ headers }, response) => {
    seen.push([headers["traceparent"], headers["tracestate"]]);
    if (seen.length === 2) response.statusCode = 503;
    json(response, {});
  };
  const client = await setUp(t, answer, { path: "/ask?key=secret" });
  const span = toldSpan();
  await client.post({}, { timeoutMs: 5000, span });
  await assert.rejects(client.post({}, { timeoutMs: 5000, span }), WebhookError);
  await client.post({}, { timeoutMs: 5000 });
  assert.deepEqual(seen, [
    ["00-HTTP POST", "a=b"],
    ["00-HTTP POST", "a=b"],
    [undefined, undefined],
  ]);
  const told = span.told.map((one) => one.replace(/127.0.0.1:\d+/, "host"));
  const begun = 'root: child HTTP POST {"http.method":"POST","http.url":"https://host/ask"}';
  assert.deepEqual(told, [
    begun,
    'HTTP POST: set {"http.status_code":200}',
    "HTTP POST: end",
    begun,
    'HTTP POST: set {"http.status_code":503}',
    "HTTP POST: end the webhook answered 503",
  ]);
});

test("a client certificate is shown where one is asked for; without it, or to a stranger, nothing is sent", async (t) => {
  let asked = 0;
  const tls = { requestCert: true, rejectUnauthorized: true };
  const answer: RequestListener = (_, response) => {
    asked += 1;
    json(response, { ok: true });
  };
  const { cert, key } = certificates.client;
  const config = { certificate: String(cert), key: String(key) };
  const known = await setUp(t, answer, { tls, config });
  assert.deepEqual(await known.post({}, { timeoutMs: 5000 }), { ok: true });
  asked = 0;
  const unknown = await setUp(t, answer, { tls });
  await assert.rejects(unknown.post({}, { timeoutMs: 5000 }), WebhookError);
  const foreign = makeCertificates();
  t.after(() => rmSync(foreign.directory, { recursive: true, force: true }));
  const stranger = await setUp(t, answer, { config: { ca: String(foreign.client.ca) } });
  await fails(stranger, { reason: "connection", retry: false }, /can not be reached: .*(certificate|signature)/);
  const renamed = await setUp(t, answer, { config: { tlsServerName: "authz.example.com" } });
  await fails(renamed, { reason: "connection", retry: false }, /can not be reached: .*authz\.example\.com/);
  assert.equal(asked, 0);
});

const codes: readonly (readonly [code: number, retryAfter: string | undefined, WebhookFailure])[] = [
  [301, undefined, { reason: "status", retry: false }],
  [307, undefined, { reason: "status", retry: false }],
  [400, undefined, { reason: "status", retry: false }],
  [401, undefined, { reason: "status", retry: false }],
  [404, undefined, { reason: "status", retry: false }],
  [429, "2", { reason: "status", retry: true, retryAfterMs: 2000 }],
  [429, "Tue, 01 Jan 2030 00:00:05 GMT", { reason: "status", retry: true, retryAfterMs: 5000 }],
  [429, "soon", { reason: "status", retry: true }],
  [500, undefined, { reason: "status", retry: true }],
  [503, "Mon, 31 Dec 2029 00:00:00 GMT", { reason: "status", retry: true, retryAfterMs: 0 }],
  [504, undefined, { reason: "timeout", retry: true }],
];

test("what is no success is a failure, redirects among it, and the connection is used again", async (t) => {
  let row = 0;
  let asked = 0;
  const client = await setUp(t, (request, response) => {
    asked += 1;
    const [code = 500, retryAfter] = codes[row] ?? [];
    response.writeHead(code, {
      location: `https://${request.headers.host}/elsewhere`,
      ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    });
    json(response, { allowed: true, told: "s3cret" });
  });
  for (const [code, , failure] of codes) {
    await fails(client, failure, new RegExp(`^the webhook answered ${code}$`));
    row += 1;
  }
  assert.equal(asked, codes.length);
  assert.ok(client.connections() <= 2);
});

test("answers that are no JSON, or too long, or broken off are failures", async (t) => {
  const bad = { reason: "answer", retry: false } as const;
  const html = await setUp(t, (_, response) => void response.end("<html>s3cret"));
  await fails(html, bad, /^the answer is no JSON$/);
  const empty = await setUp(t, (_, response) => void response.end());
  await fails(empty, bad, /^the answer is no JSON$/);
  const options = { maxAnswerBytes: 1000 };
  const long = await setUp(t, (_, response) => json(response, "x".repeat(999)), { options });
  await fails(long, bad, /^the answer is longer than 1000 bytes$/);
  const endless = await setUp(
    t,
    (_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", write);
      write();
    },
    { options },
  );
  await fails(endless, bad, /^the answer is longer than 1000 bytes$/);
  const broken = await setUp(t, (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{");
    setImmediate(() => response.destroy());
  });
  await fails(broken, { reason: "connection", retry: true }, /^the webhook can not be reached: /);
});

test("the time is that of the whole: of silence, of a body that trickles in, of a connection without TLS", async (t) => {
  const late = { reason: "timeout", retry: false } as const;
  const silent = await setUp(t, () => {});
  await fails(silent, late, /^there was no answer in time$/, 50);
  const slow = await setUp(t, (_, response) => {
    const timer = setInterval(() => response.write(" "), 10);
    response.on("close", () => clearInterval(timer));
  });
  await fails(slow, late, /^there was no answer in time$/, 80);
  const mute = createTcpServer((socket) => t.after(() => socket.destroy()));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const client = clientOf(`https://127.0.0.1:${portOf(mute.address()).port}`);
  t.after(async () => {
    await client.close();
    mute.close();
  });
  await fails(client, late, /^there was no answer in time$/, 50);
});

test("a server that is away is told apart from one that broke off", async (t) => {
  const gone = createTcpServer();
  await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
  const { port } = portOf(gone.address());
  await new Promise((resolve) => gone.close(resolve));
  const client = clientOf(`https://127.0.0.1:${port}`);
  t.after(() => client.close());
  await fails(client, { reason: "connection", retry: false }, /ECONNREFUSED/);

  const rude = await setUp(t, (request) => void request.socket.destroy());
  await fails(rude, { reason: "connection", retry: true }, /^the webhook can not be reached: /);
});

test("more questions than may wait fail at once, and later ones are asked again", async (t) => {
  const waiting: ServerResponse[] = [];
  let all = (): void => {};
  const come = new Promise<void>((resolve) => {
    all = resolve;
  });
  const client = await setUp(
    t,
    (_, response) => {
      if (waiting.push(response) === 2) all();
    },
    { options: { maxQuestions: 2, connections: 2 } },
  );
  const two = [client.post({}, { timeoutMs: 5000 }), client.post({}, { timeoutMs: 5000 })];
  await come;
  await fails(client, { reason: "connection", retry: false }, /^too many questions wait for an answer$/);
  for (const response of waiting) json(response, 1);
  assert.deepEqual(await Promise.all(two), [1, 1]);
  const third = client.post({}, { timeoutMs: 5000 });
  while (waiting.length < 3) await new Promise((resolve) => setImmediate(resolve));
  for (const response of waiting.slice(2)) json(response, 3);
  assert.equal(await third, 3);
});

test("without TLS only this machine is asked", async (t) => {
  for (const server of [
    "http://authz.example.com/x",
    "http://10.0.0.1",
    "http://localhost.example.com",
    "ftp://127.0.0.1",
  ]) {
    assert.throws(() => clientOf(server), /is not https$/);
  }
  const server = createHttpServer((_, response) => json(response, 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = clientOf(`http://127.0.0.1:${portOf(server.address()).port}`);
  t.after(async () => {
    await client.close();
    server.close();
  });
  assert.equal(await client.post({}, { timeoutMs: 5000 }), 1);
});
