import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ConnectionOptions, connect } from "node:tls";
import { issueAuthority, issueClient, issueServing } from "@orch/pki/certificates.js";
import type { KeyPair } from "@orch/pki/key-pair.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import type { Peer } from "@orch/service-gateway/http/peer.js";
import { createHttpServer } from "@orch/service-gateway/http/server.js";
import type { NamedFiles } from "@orch/service-gateway/tls/flags.js";
import { createTlsFiles } from "@orch/service-gateway/tls/settings.js";

const now = Date.now();
const authority = await issueAuthority("cluster-ca", now);
// Of the same name: only keys tell them apart.
const proxies = await issueAuthority("cluster-ca", now);
const foreign = await issueAuthority("cluster-ca", now);
const served = (...names: string[]): Promise<KeyPair> => issueServing(authority, names, now);
const client = (by: KeyPair, name = "alice"): Promise<KeyPair> => issueClient(by, { name, groups: ["devs"] }, now);

interface Given {
  readonly "tls-min-version"?: "VersionTLS12" | "VersionTLS13";
  readonly "tls-cipher-suites"?: readonly string[];
  /** Pairs by the names of the flag. */
  readonly sni?: readonly { readonly pair: KeyPair; readonly names: readonly string[] }[];
  readonly clientCa?: string;
  readonly proxyCa?: string;
}

/** A gateway's server on files in a folder of its own; it tells each request whom its connection's certificate names. */
async function gateway(t: TestContext, given: Given = {}) {
  const folder = await mkdtemp(join(tmpdir(), "gateway-tls-"));
  const at = (file: string): string => join(folder, file);
  const put = (file: string, text: string): Promise<void> => writeFile(at(file), text);
  const putPair = async (file: string, { certificate, key }: KeyPair): Promise<void> => {
    await put(`${file}.crt`, certificate);
    await put(`${file}.key`, key);
  };
  await putPair("main", await served("localhost"));
  const named: NamedFiles[] = [];
  for (const [i, { pair, names }] of (given.sni ?? []).entries()) {
    await putPair(`sni${i}`, pair);
    named.push({ cert: at(`sni${i}.crt`), key: at(`sni${i}.key`), names });
  }
  if (given.clientCa !== undefined) await put("clients.crt", given.clientCa);
  if (given.proxyCa !== undefined) await put("proxies.crt", given.proxyCa);
  const clock = createManualClock();
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const lines: string[] = [];
  const files = await createTlsFiles(
    {
      "tls-cert-file": at("main.crt"),
      "tls-private-key-file": at("main.key"),
      "tls-sni-cert-key": named,
      "tls-min-version": given["tls-min-version"] ?? "VersionTLS12",
      "tls-cipher-suites": given["tls-cipher-suites"] ?? [],
      "client-ca-file": given.clientCa === undefined ? "" : at("clients.crt"),
      "requestheader-client-ca-file": given.proxyCa === undefined ? "" : at("proxies.crt"),
    },
    {
      clock,
      metrics,
      log: { info: () => {}, error: (_fields, message) => void lines.push(message) },
      refuse: (problem) => {
        throw new Error(problem);
      },
    },
  );
  const whose = ({ certificate }: Peer): string => {
    if (certificate === undefined) return "nobody";
    const { chain, commonName, verified } = certificate;
    const by = [
      ...(chain.some((one) => files.clientAuthorities.has(one)) ? ["clients"] : []),
      ...(chain.some((one) => files.proxyAuthorities.has(one)) ? ["proxies"] : []),
    ];
    return `${commonName} ${verified ? "verified" : "unverified"} by ${by.join() || "none"}`;
  };
  const server = createHttpServer(
    {
      bindAddress: "127.0.0.1",
      port: 0,
      requestTimeoutMs: 5_000,
      http2MaxStreams: 10,
      tokenProtocol: "x.",
      tls: files,
    },
    { newId: () => "id", serve: ({ request, response }) => response.send(200, [], whose(request.peer)) },
  );
  const port = await server.listen();
  t.after(async () => {
    files.stop();
    await server.close(0);
    await rm(folder, { recursive: true });
  });
  /** A second passes and what has changed has been read. */
  const look = async (): Promise<void> => {
    clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  return { port, put, putPair, look, lines, metrics };
}

interface Visit {
  /** The serial number of the certificate that the server showed. */
  readonly serial: string;
  readonly protocol: string | null;
  readonly cipher: string;
  /** Whom the server took the client for. */
  readonly whose: string;
  /** The connection took up the session of one before it. */
  readonly reused: boolean;
  readonly session: Buffer | undefined;
}

function visit(port: number, options: ConnectionOptions = {}): Promise<Visit> {
  return new Promise((resolve, reject) => {
    let session: Buffer | undefined;
    let text = "";
    const socket = connect(
      { port, host: "127.0.0.1", ca: authority.certificate, servername: "localhost", ...options },
      () => {
        const { serialNumber: serial } = socket.getPeerCertificate();
        const seen = {
          serial,
          protocol: socket.getProtocol(),
          cipher: socket.getCipher().name,
          reused: socket.isSessionReused(),
        };
        socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        socket.on("end", () => resolve({ ...seen, session, whose: text.slice(text.indexOf("\r\n\r\n") + 4) }));
      },
    );
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.on("session", (ticket) => {
      session = ticket;
    });
    socket.on("error", reject);
  });
}

const serialOf = ({ certificate }: KeyPair): string => new X509Certificate(certificate).serialNumber;
const as = ({ certificate, key }: KeyPair, ...chain: KeyPair[]): ConnectionOptions => ({
  cert: [certificate, ...chain.map((one) => one.certificate)].join("\n"),
  key,
});

test("versions below the least one are refused", async (t) => {
  const usual = await gateway(t);
  assert.equal((await visit(usual.port)).protocol, "TLSv1.3");
  assert.equal((await visit(usual.port, { maxVersion: "TLSv1.2" })).protocol, "TLSv1.2");
  const old: ConnectionOptions = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };
  await assert.rejects(visit(usual.port, old));
  const strict = await gateway(t, { "tls-min-version": "VersionTLS13" });
  assert.equal((await visit(strict.port)).protocol, "TLSv1.3");
  await assert.rejects(visit(strict.port, { maxVersion: "TLSv1.2" }));
});

test("suites are the modern ones, or those that were asked for", async (t) => {
  const usual = await gateway(t);
  for (const ciphers of ["ECDHE-ECDSA-AES128-SHA", "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256"]) {
    await assert.rejects(visit(usual.port, { maxVersion: "TLSv1.2", ciphers }), ciphers);
  }
  const chosen = await gateway(t, { "tls-cipher-suites": ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"] });
  assert.equal((await visit(chosen.port, { maxVersion: "TLSv1.2" })).cipher, "ECDHE-ECDSA-AES256-GCM-SHA384");
  await assert.rejects(visit(chosen.port, { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" }));
  assert.match((await visit(chosen.port)).cipher, /^TLS_/);
  await assert.rejects(
    gateway(t, { "tls-cipher-suites": ["TLS_RSA_WITH_RC4_128_SHA"] }),
    /--tls-cipher-suites: .* is not secure/,
  );
});

test("the certificate is that of the name that is asked for", async (t) => {
  const own = await served("own.example", "*.wild.example");
  const given = await served("irrelevant.example");
  const { port } = await gateway(t, {
    sni: [
      { pair: own, names: [] },
      { pair: given, names: ["given.example", "*.wild.example"] },
    ],
    clientCa: authority.certificate,
  });
  const main = (await visit(port)).serial;
  const serialFor = async (servername: string): Promise<string> =>
    (await visit(port, { servername, checkServerIdentity: () => undefined })).serial;
  assert.equal(await serialFor("own.example"), serialOf(own));
  assert.equal(await serialFor("given.example"), serialOf(given));
  assert.equal(await serialFor("a.wild.example"), serialOf(given));
  assert.equal(await serialFor("elsewhere.example"), main);
  assert.equal(await serialFor(""), main);
  const known = await visit(port, { ...as(await client(authority)), servername: "own.example" });
  assert.equal(known.whose, "alice verified by clients", "clients are known under every name");
  await assert.rejects(visit(port, { maxVersion: "TLSv1.1", minVersion: "TLSv1", servername: "own.example" }));
});

test("new files are served a second later, broken ones are not, and each is told once", async (t) => {
  const first = await served("a.example");
  const { port, put, putPair, look, lines, metrics } = await gateway(t, { sni: [{ pair: first, names: [] }] });
  const main = await served("localhost");
  await putPair("main", main);
  assert.notEqual((await visit(port)).serial, serialOf(main));
  await look();
  assert.equal((await visit(port)).serial, serialOf(main));

  await put("main.crt", "nonsense");
  const second = await served("b.example");
  await putPair("sni0", second);
  await look();
  await look();
  assert.equal((await visit(port)).serial, serialOf(main), "a broken file keeps the old");
  assert.equal((await visit(port, { servername: "b.example" })).serial, serialOf(second), "and holds up no other");
  assert.equal(lines.length, 1);

  const third = await served("localhost");
  await put("main.key", third.key);
  await look();
  assert.equal((await visit(port)).serial, serialOf(main));
  await put("main.crt", third.certificate);
  await look();
  assert.equal((await visit(port)).serial, serialOf(third));
  const page = await metrics.text();
  assert.match(page, /apiserver_tls_reloads_total\{files="tls-cert-file",result="success"\} 2/);
  assert.match(page, /apiserver_tls_reloads_total\{files="tls-cert-file",result="failure"\} 2/);
  assert.match(page, /apiserver_tls_reloads_total\{files="tls-sni-cert-key",result="success"\} 1/);
});

test("a start with files that are no good says which", async (t) => {
  await assert.rejects(gateway(t, { clientCa: "nonsense" }), /--client-ca-file: there is no certificate/);
  const broken = `${authority.certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
  await assert.rejects(gateway(t, { proxyCa: broken }), /--requestheader-client-ca-file: certificate 2 cannot be read/);
  const mixed = { certificate: (await served("a.example")).certificate, key: (await served("a.example")).key };
  await assert.rejects(gateway(t, { sni: [{ pair: mixed, names: [] }] }), /--tls-sni-cert-key: .*mismatch/);
});

test("clients and front proxies are told apart by who signed them, not by names", async (t) => {
  const bundle = `${authority.certificate}${foreign.certificate}`;
  const { port } = await gateway(t, { clientCa: bundle, proxyCa: proxies.certificate });
  const whose = async (options: ConnectionOptions): Promise<string> => (await visit(port, options)).whose;
  assert.equal(await whose({}), "nobody");
  assert.equal(await whose(as(await client(authority))), "alice verified by clients");
  assert.equal(await whose(as(await client(foreign))), "alice verified by clients");
  assert.equal(await whose(as(await client(proxies))), "alice verified by proxies");
  const stranger = await issueAuthority("cluster-ca", now);
  assert.equal(await whose(as(await client(stranger))), "alice unverified by none");
  // The authority of proxies is public: anybody can send it along as if it had signed them.
  assert.equal(await whose(as(await client(authority), proxies)), "alice verified by clients");
  assert.equal(await whose(as(await client(stranger), proxies)), "alice unverified by none");
});

test("a certificate that a client has signed itself is none", async (t) => {
  const { port } = await gateway(t, { clientCa: authority.certificate });
  const alice = await client(authority);
  const forged = await issueClient(alice, { name: "admin", groups: ["system:masters"] }, now);
  assert.match((await visit(port, as(forged, alice))).whose, /^admin unverified by none$/);
});

for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
  test(`a session that goes on knows the whole chain, and ends with the authorities (${maxVersion})`, async (t) => {
    const { port, put, look } = await gateway(t, { clientCa: authority.certificate });
    const between = await issueAuthority("between", now, authority);
    const alice = { ...as(await client(between), between), maxVersion };
    const first = await visit(port, alice);
    assert.equal(first.whose, "alice verified by clients");
    const second = await visit(port, { ...alice, ...(first.session === undefined ? {} : { session: first.session }) });
    assert.deepEqual([second.whose, second.reused], ["alice verified by clients", true]);

    await put("clients.crt", foreign.certificate);
    await look();
    const session = second.session ?? first.session;
    const third = await visit(port, { ...alice, ...(session === undefined ? {} : { session }) });
    assert.equal(third.whose, "alice unverified by none", "no ticket outlives the authority");
  });
}

test("a connection loses its authority with the next request", async (t) => {
  const { port, put, look } = await gateway(t, { clientCa: authority.certificate });
  const socket = connect({
    port,
    host: "127.0.0.1",
    ca: authority.certificate,
    servername: "localhost",
    ...as(await client(authority)),
  });
  t.after(() => socket.destroy());
  socket.setEncoding("utf8");
  const ask = async (): Promise<string> => {
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const answer = await new Promise<string>((resolve) => socket.once("data", resolve));
    return answer.slice(answer.indexOf("\r\n\r\n") + 4);
  };
  assert.equal(await ask(), "alice verified by clients");
  await put("clients.crt", foreign.certificate);
  await look();
  assert.equal(await ask(), "alice verified by none");
});
