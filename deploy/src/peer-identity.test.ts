import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { type TestContext, test } from "node:test";
import { issueAuthority, issueService } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { grpcPair } from "@orch/rpc/grpc-pair.suite.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import type { LinkCredentials, LinkSecurity } from "@orch/rpc/link/grpc-link.js";
import { createGrpcServer } from "@orch/rpc/link/grpc-server.js";
import type { RpcLog } from "@orch/rpc/log.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { joinAny } from "@orch/rpc/testing/fake-span.js";
import { echo, text, transportSuite, until } from "@orch/rpc/transport.suite.js";
import { serviceIdentity, servicePeers } from "@orch/runtime/service-identity.js";

const now = Date.now();
const day = 24 * 3600 * 1000;
const trustDomain = "cluster.local";
const authority = await issueAuthority("services-ca", now);
const foreign = await issueAuthority("services-ca", now);

interface Files {
  readonly by: KeyPair;
  /** Whom it trusts; its own authority where absent. */
  readonly trust: KeyPair;
  readonly at: number;
}

async function files(
  name: string,
  { by = authority, trust = by, at = now }: Partial<Files> = {},
): Promise<LinkCredentials> {
  const pair = await issueService(by, { name, uri: serviceIdentity(trustDomain, name) }, at);
  return { ca: trust.certificate, cert: pair.certificate, key: pair.key };
}

/** Files that a test replaces. */
function changing(first: LinkCredentials) {
  let value = first;
  const listeners: (() => void)[] = [];
  return {
    current: () => value,
    onChange: (run: () => void): void => void listeners.push(run),
    set(next: LinkCredentials): void {
      value = next;
      for (const run of listeners) run();
    },
  };
}

const secured = (
  credentials: LinkCredentials | LinkSecurity["credentials"],
  peers: readonly string[],
): LinkSecurity => ({
  credentials: "current" in credentials ? credentials : changing(credentials),
  accepts: servicePeers(trustDomain, peers),
});

function lines(): { readonly log: RpcLog; readonly text: () => string } {
  const all: string[] = [];
  const note = (fields: object, message: string): void => void all.push(`${message} ${JSON.stringify(fields)}`);
  return { log: { info: note, warn: note, error: note }, text: () => all.join("\n") };
}

async function serving(t: TestContext, security: LinkSecurity | undefined) {
  const said = lines();
  const server = createGrpcServer({ host: "127.0.0.1", port: 0, security, log: said.log });
  let calls = 0;
  server.services.unary(echo, () => {
    calls++;
    return text("served");
  });
  const port = await server.listen();
  t.after(() => server.close(0));
  return { port, said: said.text, calls: () => calls };
}

function calling(t: TestContext, port: number, security: LinkSecurity | undefined) {
  const said = lines();
  const caller = connect({ target: `127.0.0.1:${port}`, security, log: said.log, waitForPeerMs: 300 });
  t.after(() => caller.close());
  return { caller, said: said.text };
}

const ask = async (caller: Caller): Promise<string> => (await caller.call(echo, text(""))).body.toString();

async function refused(caller: Caller): Promise<void> {
  await assert.rejects(ask(caller), { reason: "ServiceUnavailable" });
}

transportSuite("grpc with certificates", async () => {
  const server = createGrpcServer({
    host: "127.0.0.1",
    port: 0,
    security: secured(await files("resource"), ["gateway"]),
    joinTrace: joinAny,
  });
  const security = secured(await files("gateway"), ["resource"]);
  return grpcPair(server, (port) => ({ target: `127.0.0.1:${port}`, security }));
});

test("a host's name is not in the certificates, and need not be", async (t) => {
  const { port } = await serving(t, secured(await files("resource"), ["gateway"]));
  const caller = connect({ target: `localhost:${port}`, security: secured(await files("gateway"), ["resource"]) });
  t.after(() => caller.close());
  assert.equal(await ask(caller), "served");
});

test("a caller that is not expected is told so, logged by its identity, and nothing of it is run", async (t) => {
  const { port, said, calls } = await serving(t, secured(await files("resource"), ["gateway"]));
  const intruder = calling(t, port, secured(await files("controller-manager"), ["resource"]));
  await refused(intruder.caller);
  assert.match(
    intruder.said(),
    /PERMISSION_DENIED: spiffe:\/\/cluster\.local\/service\/controller-manager may not call/,
  );
  assert.match(said(), /a peer is refused.*"identity":"spiffe:\/\/cluster\.local\/service\/controller-manager"/);
  assert.equal(calls(), 0);
});

test("a server that is not the one that is called gets no call", async (t) => {
  const { port, calls } = await serving(t, secured(await files("watch-cache"), ["gateway"]));
  const { caller, said } = calling(t, port, secured(await files("gateway"), ["resource"]));
  await refused(caller);
  assert.match(said(), /not who is expected, but spiffe:\/\/cluster\.local\/service\/watch-cache/);
  assert.equal(calls(), 0);
});

const strangers: ReadonlyArray<readonly [title: string, caller: () => Promise<LinkSecurity | undefined>]> = [
  ["without TLS", async () => undefined],
  [
    "with a certificate of another authority of the same name",
    async () => secured(await files("gateway", { by: foreign, trust: authority }), ["resource"]),
  ],
  [
    "with a certificate that is over",
    async () => secured(await files("gateway", { at: now - 400 * day }), ["resource"]),
  ],
  [
    "with a certificate that is not yet in its time",
    async () => secured(await files("gateway", { at: now + day }), ["resource"]),
  ],
];
for (const [title, security] of strangers) {
  test(`a caller is refused ${title}`, async (t) => {
    const { port, calls } = await serving(t, secured(await files("resource"), ["gateway"]));
    await refused(calling(t, port, await security()).caller);
    assert.equal(calls(), 0);
    const known = calling(t, port, secured(await files("gateway"), ["resource"]));
    assert.equal(await ask(known.caller), "served");
  });
}

const impostors: ReadonlyArray<readonly [title: string, server: () => Promise<LinkSecurity | undefined>]> = [
  ["without TLS", async () => undefined],
  [
    "of another authority",
    async () => secured(await files("resource", { by: foreign, trust: authority }), ["gateway"]),
  ],
  ["whose time is over", async () => secured(await files("resource", { at: now - 400 * day }), ["gateway"])],
];
for (const [title, security] of impostors) {
  test(`a server is refused ${title}`, async (t) => {
    const { port, calls } = await serving(t, await security());
    await refused(calling(t, port, secured(await files("gateway"), ["resource"])).caller);
    assert.equal(calls(), 0);
  });
}

test("TLS without any certificate of the client's opens no stream", async (t) => {
  const { port } = await serving(t, secured(await files("resource"), ["gateway"]));
  const session = connectHttp2(`https://127.0.0.1:${port}`, {
    ca: authority.certificate,
    checkServerIdentity: () => undefined,
  });
  t.after(() => session.destroy());
  session.on("error", () => {});
  const stream = session.request({
    ":method": "POST",
    ":path": "/rpc.v1.Link/Open",
    "content-type": "application/grpc",
  });
  let answered = false;
  stream.on("response", () => {
    answered = true;
  });
  stream.on("error", () => {});
  await new Promise((resolve) => stream.once("close", resolve));
  assert.equal(answered, false);
});

test("what is no handshake ends", async (t) => {
  const { port } = await serving(t, secured(await files("resource"), ["gateway"]));
  const socket = connectTcp(port, "127.0.0.1").on("error", () => {});
  t.after(() => socket.destroy());
  socket.resume().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
});

test("new files are what new connections are made with, on both sides", async (t) => {
  const server = changing(await files("resource"));
  const client = changing(await files("gateway"));
  const { port } = await serving(t, secured(server, ["gateway"]));
  const first = calling(t, port, secured(client, ["resource"]));
  assert.equal(await ask(first.caller), "served");

  server.set(await files("resource", { by: foreign }));
  await refused(calling(t, port, secured(client, ["resource"])).caller);
  assert.equal(await ask(first.caller), "served", "what is open stays open");

  client.set(await files("gateway", { by: foreign }));
  assert.equal(await ask(calling(t, port, secured(client, ["resource"])).caller), "served");
});

test("a caller whose files become right is let in without a restart", async (t) => {
  const { port } = await serving(t, secured(await files("resource"), ["gateway"]));
  const client = changing(await files("gateway", { by: foreign, trust: authority }));
  const { caller } = calling(t, port, secured(client, ["resource"]));
  await refused(caller);
  client.set(await files("gateway"));
  await until(() => caller.ready);
  assert.equal(await ask(caller), "served");
});
