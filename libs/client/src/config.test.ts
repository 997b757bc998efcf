import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { printClientConfig, readClientConfig } from "./config.js";

async function written(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "config-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "ca.pem"), "CA");
  await writeFile(join(folder, "token"), "from-file\n");
  await writeFile(join(folder, "config"), text);
  return join(folder, "config");
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("a file with paths, data, a token file and several contexts is read", async (t) => {
  const path = await written(
    t,
    `apiVersion: v1
kind: Config
current-context: two
clusters:
- {name: a, cluster: {server: "https://a:1/", certificate-authority: ca.pem, tls-server-name: api}}
- {name: b, cluster: {server: "https://b:2/prefix", insecure-skip-tls-verify: true}}
users:
- {name: u, user: {client-certificate-data: ${base64("CERT")}, client-key-data: ${base64("KEY")}}}
- {name: w, user: {tokenFile: token}}
contexts:
- {name: one, context: {cluster: a, user: u, namespace: obs}}
- {name: two, context: {cluster: b, user: w}}
- {name: none, context: {cluster: b}}
`,
  );
  assert.deepEqual(await readClientConfig(path), {
    server: "https://b:2/prefix",
    namespace: "default",
    insecureSkipTlsVerify: true,
    token: "from-file",
  });
  assert.deepEqual(await readClientConfig(path, { context: "one" }), {
    server: "https://a:1",
    namespace: "obs",
    insecureSkipTlsVerify: false,
    ca: "CA",
    certificate: "CERT",
    key: "KEY",
    tlsServerName: "api",
  });
  assert.equal((await readClientConfig(path, { context: "none" })).token, undefined);
  await assert.rejects(readClientConfig(path, { context: "zzz" }), /config: has no context "zzz"$/);
});

test("what is printed reads back in each dialect", async (t) => {
  for (const dialect of dialects) {
    const config = {
      naming: createNaming(dialect),
      server: "https://127.0.0.1:6443",
      ca: "CA",
      user: "admin",
      token: "yes",
    };
    assert.deepEqual(await readClientConfig(await written(t, printClientConfig(config))), {
      server: "https://127.0.0.1:6443",
      namespace: "default",
      insecureSkipTlsVerify: false,
      ca: "CA",
      token: "yes",
    });
  }
});

test("a file that is no configuration is refused in one line", async (t) => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["", /holds no document/],
    ["a: [", /line \d+/],
    ["- a", /the file is not a map/],
    ["apiVersion: v2\nkind: Config", /is no client configuration: expected kind Config of orchconfig\.orch\/v1 or v1/],
    ["apiVersion: v1\nkind: Config", /has no current-context/],
    ["apiVersion: v1\nkind: Config\ncurrent-context: a", /has no context "a"/],
    [
      "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: b}}]",
      /has no cluster "b"/,
    ],
    [
      "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: b}}]\nclusters: [{name: b, cluster: {server: x}}]",
      /no usable server address/,
    ],
  ];
  for (const [text, message] of rows) await assert.rejects(readClientConfig(await written(t, text)), message);
  await assert.rejects(readClientConfig("/nonexistent/config"), /ENOENT/);
});
