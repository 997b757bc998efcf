import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTools, temporaryFolder, writePlugin } from "../testing/credential-tools.js";
import { testCertificate, testKey } from "../testing/test-certificate.js";
import { type ExecPlugin, execCredentials } from "./exec-plugin.js";

const v1 = "client.authentication.k8s.io/v1";

async function setup(t: TestContext, options: { readonly body?: string; readonly plugin?: Partial<ExecPlugin> } = {}) {
  const plugin = await writePlugin(await temporaryFolder(t), options.body);
  const time = createTools();
  const entry: ExecPlugin = {
    apiVersion: v1,
    command: plugin.path,
    args: ["a", "b c"],
    env: { OWN: "mine" },
    installHint: "get it from there",
    interactiveMode: "IfAvailable",
    ...options.plugin,
  };
  const of = (more: Partial<ExecPlugin> = {}) => execCredentials({ ...entry, ...more }, time.tools);
  return { ...time, plugin, of };
}

const answer = (status: unknown, apiVersion = v1) => ({ kind: "ExecCredential", apiVersion, status });

test("a plugin is told what it is asked for, in each dialect", async (t) => {
  const { plugin, of } = await setup(t);
  const rows: readonly (readonly [apiVersion: string, variable: string, cluster: object | undefined])[] = [
    ["client.authentication.k8s.io/v1", "kubernetes", undefined],
    ["client.authentication.k8s.io/v1beta1", "kubernetes", { server: "https://a" }],
    ["client.authentication.orch/v1", "orch", { server: "https://a", config: { x: 1 } }],
    ["client.authentication.orch/v1beta1", "orch", undefined],
  ];
  for (const [apiVersion, variable, cluster] of rows) {
    await plugin.answers(answer({ token: "t" }, apiVersion));
    const source = of({ apiVersion, ...(cluster === undefined ? {} : { cluster }) });
    assert.deepEqual(await source.current(), { authorization: "Bearer t" });
    const told = (await plugin.runs()).at(-1);
    const spec = { ...(cluster === undefined ? {} : { cluster }), interactive: false };
    assert.deepEqual(told, {
      args: ["a", "b c"],
      [variable]: JSON.stringify({ kind: "ExecCredential", apiVersion, spec }),
      own: "mine",
    });
  }
});

test("credentials are kept until they expire, and one run serves all who wait", async (t) => {
  const { plugin, of, now, advance } = await setup(t);
  const source = of();
  const until = (ms: number) => new Date(now() + ms).toISOString();
  await plugin.answers(answer({ token: "one", expirationTimestamp: until(60_000) }));
  const all = await Promise.all(Array.from({ length: 20 }, () => source.current()));
  assert.deepEqual(new Set(all.map((c) => c.authorization)), new Set(["Bearer one"]));
  await plugin.answers(answer({ token: "two" }));
  advance(59_999);
  assert.equal(await source.current(), all[0]);
  assert.equal((await plugin.runs()).length, 1);
  advance(1);
  await Promise.all(Array.from({ length: 20 }, () => source.current()));
  assert.equal((await source.current()).authorization, "Bearer two");
  assert.equal((await plugin.runs()).length, 2);
});

test("a certificate and its key come with or without a token", async (t) => {
  const { plugin, of } = await setup(t);
  const pair = { clientCertificateData: testCertificate, clientKeyData: testKey };
  await plugin.answers(answer(pair));
  assert.deepEqual(await of().current(), { certificate: testCertificate, key: testKey });
  await plugin.answers(answer({ ...pair, token: "t" }));
  assert.equal((await of().current()).authorization, "Bearer t");
});

const otherKey = testKey.replace("MIGHAgEAMB", "MIGHAgEAMC");
const refusals: readonly (readonly [string, unknown, RegExp])[] = [
  ["nothing", "", /answered with something that is no ExecCredential$/],
  ["half an object", '{"kind":"ExecCredential","status":{"token":"s3cret"', /is no ExecCredential$/],
  ["another kind", { ...answer({ token: "s3cret" }), kind: "Secret" }, /is no ExecCredential$/],
  ["another version", answer({ token: "s3cret" }, "client.authentication.k8s.io/v1beta1"), /with another apiVersion$/],
  ["another dialect", answer({ token: "s3cret" }, "client.authentication.orch/v1"), /with another apiVersion$/],
  ["no status", answer(undefined), /without a status$/],
  ["an empty status", answer({}), /neither a token nor a certificate$/],
  ["a token that is a number", answer({ token: 5 }), /status\.token that is no string$/],
  ["a token of two lines", answer({ token: "s3cret\nx: y" }), /a token that fits in no header$/],
  ["a key alone", answer({ clientKeyData: testKey }), /only one of certificate and key$/],
  ["a certificate alone", answer({ token: "s3cret", clientCertificateData: testCertificate }), /only one of/],
  [
    "a key of another certificate",
    answer({ clientCertificateData: testCertificate, clientKeyData: otherKey }),
    /do not belong together$/,
  ],
  ["a time that is none", answer({ token: "s3cret", expirationTimestamp: "tomorrow" }), /that is no time$/],
];
for (const [what, output, message] of refusals) {
  test(`refused: a plugin that answers with ${what}`, async (t) => {
    const { plugin, of } = await setup(t);
    await plugin.answers(output);
    const source = of();
    const error = await Promise.resolve(source.current()).then(() => undefined, String);
    assert.match(error ?? "", message);
    assert.doesNotMatch(error ?? "", /s3cret/);
    await plugin.answers(answer({ token: "t" }));
    assert.equal((await source.current()).authorization, "Bearer t");
  });
}

test("a plugin that fails, is missing or may not be run says so", async (t) => {
  const { of } = await setup(t, { body: "process.exit(3)" });
  const rows: readonly (readonly [Partial<ExecPlugin>, RegExp])[] = [
    [{}, /^no credentials: the plugin \/.*\/plugin ended with exit code 3$/],
    [{ command: "/nonexistent/plugin" }, /plugin \/nonexistent\/plugin is not installed; get it from there$/],
    [{ command: "no-such-plugin", installHint: "" }, /plugin no-such-plugin is not installed$/],
    [{ command: "/etc/passwd" }, /can not be run: EACCES$/],
    [{ args: ["s3cret\0"] }, /can not be run: ERR_INVALID_ARG_VALUE$/],
    [{ interactiveMode: "Always" }, /asks for input, and standard input is no terminal$/],
  ];
  for (const [more, message] of rows) {
    await assert.rejects(Promise.resolve(of(more).current()), { reason: "Unauthorized", message });
  }
});

test("a plugin that does not end is killed, and so is one that writes without end", async (t) => {
  const { of, advance, plugin, timers } = await setup(t, { body: "setInterval(() => {}, 1000); return;" });
  const waiting = assert.rejects(Promise.resolve(of().current()), /was not done within 60 s$/);
  while ((await plugin.runs()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  advance(60_000);
  await waiting;
  const endless = await setup(t, { body: 'setInterval(() => process.stdout.write("x".repeat(65536)), 0); return;' });
  await assert.rejects(Promise.resolve(endless.of().current()), /wrote more than 1048576 bytes$/);
  assert.deepEqual([timers(), endless.timers()], [0, 0]);
});
