import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { TLSSocket } from "node:tls";
import { parseTokenFile } from "@orch/auth/token-file.js";
import { readClientConfig } from "@orch/client/config.js";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { ensureClient, ensurePki, type PkiOptions, writeClientConfig } from "./pki.js";

const naming = createNaming("orch");
const start = Date.now();
const day = 24 * 3600 * 1000;

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "pki-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

const options = (more: Partial<PkiOptions> = {}): PkiOptions => ({
  tlsSans: [],
  clock: { now: () => start },
  naming,
  ...more,
});

test("a server and a client with these certificates trust each other", async (t) => {
  const pki = await ensurePki(await folder(t), options());
  let peer: unknown;
  const server = createServer(
    { cert: pki.serving.certificate, key: pki.serving.key, ca: pki.ca, requestCert: true, rejectUnauthorized: true },
    (req, res) => {
      if (req.socket instanceof TLSSocket) peer = req.socket.getPeerCertificate().subject;
      res.end("ok");
    },
  ).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  for (const host of ["127.0.0.1", "localhost"]) {
    const status = await new Promise((resolve, reject) => {
      request({
        host,
        lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
        port: address.port,
        ca: pki.ca,
        cert: pki.admin.certificate,
        key: pki.admin.key,
        agent: false,
      })
        .on("response", (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
    assert.equal(status, 200);
  }
  assert.deepEqual({ ...Object(peer) }, { O: "system:masters", CN: "admin" });
});

test("every file is the owner's alone and no draft stays behind", async (t) => {
  const dir = await folder(t);
  await ensurePki(dir, options());
  await writeClientConfig(join(dir, "admin.orchconfig"), {
    server: "https://h:1",
    ca: "",
    cert: "",
    key: "",
    token: "",
    naming,
  });
  assert.equal((await stat(join(dir, "pki"))).mode & 0o777, 0o700);
  const files = (await readdir(join(dir, "pki"))).sort();
  assert.deepEqual(files, [
    ...["admin.crt", "admin.key", "agent-client.crt", "agent-client.key", "ca.crt", "ca.key", "service-accounts.key"],
    ...["serving.crt", "serving.key", "tokens.csv"],
  ]);
  for (const file of [...files.map((f) => join("pki", f)), "admin.orchconfig"]) {
    assert.equal((await stat(join(dir, file))).mode & 0o777, 0o600, file);
  }
});

test("a further client is known by a certificate of the same authority, made once", async (t) => {
  const dir = await folder(t);
  const { ca } = await ensurePki(dir, options());
  const client = { file: "controllers", name: "system:controllers", groups: ["system:masters"] };
  const pair = await ensureClient(dir, client, options());
  const certificate = new X509Certificate(pair.certificate);
  assert.deepEqual(certificate.subject.split("\n").sort(), ["CN=system:controllers", "O=system:masters"]);
  assert.ok(certificate.verify(new X509Certificate(ca).publicKey));
  assert.deepEqual(await ensureClient(dir, client, options()), pair);
  assert.equal((await stat(join(dir, "pki", "controllers.key"))).mode & 0o777, 0o600);
});

test("a restart keeps everything", async (t) => {
  const dir = await folder(t);
  const first = await ensurePki(dir, options({ tlsSans: ["orch.example", "10.0.0.7", "fd00::7", "*.nodes.example"] }));
  const second = await ensurePki(
    dir,
    options({ tlsSans: ["*.nodes.example", "fd00::7", "10.0.0.7", "orch.example", "localhost"] }),
  );
  assert.deepEqual(second, first);
});

test("new names and the end of a certificate's time make a new one of the same authority", async (t) => {
  const dir = await folder(t);
  const first = await ensurePki(dir, options());
  const renamed = await ensurePki(dir, options({ tlsSans: ["orch.example"] }));
  assert.notEqual(renamed.serving.certificate, first.serving.certificate);
  assert.equal(renamed.ca, first.ca);
  assert.equal(renamed.admin.certificate, first.admin.certificate);
  const certificate = new X509Certificate(renamed.serving.certificate);
  assert.equal(
    certificate.subjectAltName,
    "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:orch.example",
  );
  const fewer = await ensurePki(dir, options());
  assert.notEqual(fewer.serving.certificate, renamed.serving.certificate);
  const late = await ensurePki(dir, options({ clock: { now: () => start + 340 * day } }));
  assert.notEqual(late.serving.certificate, fewer.serving.certificate);
  assert.notEqual(late.admin.certificate, fewer.admin.certificate);
  assert.equal(late.adminToken, first.adminToken);
});

test("damaged leaves are made anew, a damaged authority is told", async (t) => {
  const dir = await folder(t);
  const first = await ensurePki(dir, options());
  await writeFile(first.paths.servingCertificate, "nonsense");
  await rm(first.paths.adminKey);
  const second = await ensurePki(dir, options());
  assert.notEqual(second.serving.certificate, first.serving.certificate);
  assert.notEqual(second.admin.key, first.admin.key);
  await writeFile(first.paths.ca, "nonsense");
  await assert.rejects(ensurePki(dir, options()), /ca\.crt .* is damaged or at its end; remove both/);
});

test("a name that can not stand in a certificate is refused", async (t) => {
  const dir = await folder(t);
  for (const name of ["a b", "", "-a", "a..b", "http://x", "1.2.3.4:5"]) {
    await assert.rejects(
      ensurePki(dir, options({ tlsSans: [name] })),
      /--tls-san: .* is neither a host name nor an address/,
    );
  }
});

test("the token file is one that the authenticator reads", async (t) => {
  const pki = await ensurePki(await folder(t), options());
  const file = parseTokenFile(await readFile(pki.paths.tokens, "utf8"));
  assert.deepEqual(file, {
    ok: true,
    value: [{ token: pki.adminToken, user: "admin", uid: "admin", groups: ["system:masters"] }],
  });
  assert.ok(pki.adminToken.length >= 43);
});

test("the client configuration file reads back in both dialects", async (t) => {
  const dir = await folder(t);
  for (const dialect of dialects) {
    const path = join(dir, `${dialect}.config`);
    const given = { server: "https://127.0.0.1:6443", ca: "CA\n", cert: "CERT\n", key: "KEY\n", token: "T" };
    await writeClientConfig(path, { ...given, naming: createNaming(dialect) });
    assert.deepEqual(await readClientConfig(path), {
      server: given.server,
      namespace: "default",
      insecureSkipTlsVerify: false,
      ca: "CA\n",
      certificate: "CERT\n",
      key: "KEY\n",
      token: "T",
    });
    const first = (await readFile(path, "utf8")).split("\n", 2);
    assert.deepEqual(first, [`apiVersion: ${createNaming(dialect).clientConfigApiVersion}`, "kind: Config"]);
  }
});
