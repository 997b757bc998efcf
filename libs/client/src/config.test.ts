import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { printClientConfig, readClientConfig, readClientConfigs } from "./config.js";
import { createTools, temporaryFolder, writePlugin } from "./testing/credential-tools.js";
import { testCertificate, testKey } from "./testing/test-certificate.js";

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

/** A configuration of one cluster, one user and one context in flow style. */
const fileOf = (user: string, cluster = "{server: https://a}") => `apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: ${cluster}}]
users: [{name: u, user: ${user}}]
`;

test("a user has a password, and acts as somebody", async (t) => {
  const user = "{username: ann, password: p, as: bob, as-uid: '1', as-groups: [a, b], as-user-extra: {k: [v, w]}}";
  assert.deepEqual(
    await readClientConfig(await written(t, fileOf(user, "{server: http://a, proxy-url: http://p:1}"))),
    {
      server: "http://a",
      namespace: "default",
      insecureSkipTlsVerify: false,
      proxyUrl: "http://p:1",
      basic: { username: "ann", password: "p" },
      impersonate: { user: "bob", uid: "1", groups: ["a", "b"], extra: { k: ["v", "w"] } },
    },
  );
});

const exec = "apiVersion: client.authentication.orch/v1, command: c, interactiveMode: Never";
const refusedUsers: readonly (readonly [string, RegExp])[] = [
  ["{token: 5}", /config: user "u": token is not a string$/],
  ['{token: "a\\nb"}', /user "u": token fits in no header$/],
  ["{tokenFile: empty}", /user "u": tokenFile: .*empty: the file holds no token$/],
  ["{tokenFile: nowhere}", /user "u": tokenFile: ENOENT/],
  ["{token: a, username: b}", /user "u": token and username exclude each other$/],
  [`{token: a, exec: {${exec}}}`, /user "u": token and exec exclude each other$/],
  [`{client-certificate: ca.pem, client-key: ca.pem, exec: {${exec}}}`, /client-certificate and exec exclude/],
  ["{client-certificate: ca.pem}", /user "u": client-key is missing$/],
  ["{client-key: ca.pem}", /user "u": client-certificate is missing$/],
  ["{client-certificate: ca.pem, client-key: nowhere.pem}", /client-key: ENOENT/],
  ["{client-certificate-data: '!'}", /user "u": client-certificate-data is not base64$/],
  ["{auth-provider: {name: gcp}}", /user "u": auth-provider is not available: use exec/],
  ["{as-groups: [a]}", /user "u": as is missing/],
  ["{as: a, as-groups: a}", /user "u": as-groups is not a list of strings$/],
  ["{as: a, as-user-extra: {k: v}}", /user "u": as-user-extra: k is not a list of strings$/],
  ['{as: "a\\r\\nb: c"}', /fits in no header$/],
  [`{exec: {${exec}}}`, /user "u": exec: plugins are not run here$/],
  ["{exec: {command: c}}", /user "u": exec: apiVersion is "" and not one of client\.authentication\.orch\/v1,/],
  ["{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: c}}", /apiVersion is ".*v1alpha1" and not/],
  ["{exec: {apiVersion: client.authentication.k8s.io/v1}}", /exec: command is missing$/],
  ["{exec: {apiVersion: client.authentication.k8s.io/v1, command: c}}", /exec: interactiveMode is missing/],
  [
    "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: c, interactiveMode: Now}}",
    /interactiveMode is "Now" and not one of Never, IfAvailable, Always$/,
  ],
  [`{exec: {${exec}, env: [{value: a}]}}`, /exec: env\[0\]: name is missing$/],
  [`{exec: {${exec}, args: {}}}`, /exec: args is not a list of strings$/],
  [`{exec: {${exec}, provideClusterInfo: 1}}`, /exec: provideClusterInfo is neither true nor false$/],
  ["5", /user "u" is not a map$/],
];
test("a user that is not understood is refused by its name and field", async (t) => {
  for (const [user, message] of refusedUsers) {
    const path = await written(t, fileOf(user));
    await writeFile(join(path, "../empty"), "\n");
    await assert.rejects(readClientConfig(path), message, user);
  }
});

test("a cluster that is not understood is refused by its name and field", async (t) => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["{}", /cluster "c": server is no usable server address$/],
    ["{server: ftp://a}", /cluster "c": server is no usable server address$/],
    ["{server: https://a, proxy-url: socks5://b}", /cluster "c": proxy-url is no http or https address/],
    ["{server: https://a, insecure-skip-tls-verify: 'yes'}", /insecure-skip-tls-verify is neither true nor false$/],
    ["{server: https://a, insecure-skip-tls-verify: true, certificate-authority: ca.pem}", /exclude each other$/],
    ["{server: https://a, certificate-authority: nowhere}", /cluster "c": certificate-authority: ENOENT/],
  ];
  for (const [cluster, message] of rows) {
    await assert.rejects(readClientConfig(await written(t, fileOf("{}", cluster))), message, cluster);
  }
});

test("of several files the first one's word counts, and those that are missing do not", async (t) => {
  const first = await written(t, "apiVersion: v1\nkind: Config\nusers: [{name: u, user: {tokenFile: token}}]");
  const second = await written(t, fileOf("{token: other}"));
  const third = await written(
    t,
    fileOf("{}", "{server: https://b}").replace("current-context: x", "current-context: y"),
  );
  const config = await readClientConfigs([first, "/nonexistent/a", second, third]);
  assert.deepEqual([config.server, config.token], ["https://a", "from-file"]);
  await assert.rejects(readClientConfigs(["/nonexistent/a", "/nonexistent/b"]), /nonexistent\/a: ENOENT/);
  await assert.rejects(readClientConfigs([]), /no client configuration file is named/);
  await assert.rejects(readClientConfigs([first, second], { context: "z" }), /config, .*config: has no context "z"$/);
  await writeFile(third, "a: [");
  await assert.rejects(readClientConfigs([second, third]), (e) => e instanceof Error && e.message.startsWith(third));
});

test("files that others replace are read again each minute, and kept while they make no sense", async (t) => {
  const path = await written(t, fileOf("{tokenFile: token, client-certificate: c.pem, client-key: k.pem}"));
  const at = (name: string) => join(path, "..", name);
  await writeFile(at("c.pem"), "old");
  await writeFile(at("k.pem"), "old");
  const { tools, advance } = createTools();
  const { credentials } = await readClientConfig(path, { tools });
  const initial = await credentials?.current();
  assert.deepEqual(initial, { authorization: "Bearer from-file", certificate: "old", key: "old" });
  await writeFile(at("token"), "new");
  advance(59_999);
  assert.equal(await credentials?.current(), initial);
  advance(1);
  assert.deepEqual(await credentials?.current(), { ...initial, authorization: "Bearer new" });
  await writeFile(at("c.pem"), testCertificate);
  advance(60_000);
  assert.equal((await credentials?.current())?.certificate, "old");
  await writeFile(at("k.pem"), testKey);
  advance(10_000);
  const pair = { certificate: testCertificate, key: testKey };
  assert.deepEqual(await credentials?.current(), { authorization: "Bearer new", ...pair });
  await writeFile(at("token"), "");
  advance(60_000);
  assert.equal((await credentials?.current())?.authorization, "Bearer new");
});

test("a plugin beside the file is run, and told of the cluster what it has of itself and for it", async (t) => {
  const folder = await temporaryFolder(t);
  const plugin = await writePlugin(folder);
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  await plugin.answers({ kind: "ExecCredential", apiVersion, status: { token: "t" } });
  const extension = "{name: client.authentication.k8s.io/exec, extension: {audience: a}}";
  const rest = `proxy-url: http://p, tls-server-name: api, disable-compression: true, extensions: [{name: x}, ${extension}]`;
  const cluster = `{server: https://a/, certificate-authority-data: ${base64("CA")}, ${rest}}`;
  const user = `{exec: {apiVersion: ${apiVersion}, command: ./plugin, provideClusterInfo: true, env: [{name: OWN, value: w}]}}`;
  await writeFile(join(folder, "config"), fileOf(user, cluster));
  const { credentials } = await readClientConfig(join(folder, "config"), { tools: createTools().tools });
  assert.deepEqual(await credentials?.current(), { authorization: "Bearer t" });
  const [told] = await plugin.runs();
  assert.equal(told?.["own"], "w");
  assert.deepEqual(JSON.parse(String(told?.["kubernetes"])).spec, {
    cluster: {
      server: "https://a",
      "tls-server-name": "api",
      "certificate-authority-data": base64("CA"),
      "proxy-url": "http://p",
      "disable-compression": true,
      config: { audience: "a" },
    },
    interactive: false,
  });
});
