import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { defaultAlwaysAllowPaths } from "@orch/auth/fixed-authorizers.js";
import { resourceAttributes, user } from "@orch/auth/testing/attributes.js";
import { objectMap } from "@orch/auth/testing/object-map.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { listFlag } from "@orch/runtime/flags/flag-types.js";
import { readCommandLine } from "@orch/runtime/flags/flags.js";
import type { Log } from "@orch/runtime/log.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createAccess, createAuthorizationAccess } from "./access.js";
import { ConfigurationError } from "./configuration.js";
import { authenticationFlags, authorizationFlags, serviceAccountFlags } from "./flags.js";
import type { AccessSettings } from "./settings.js";

const naming = createNaming("kubernetes");
const folder = mkdtempSync(join(tmpdir(), "orch-access-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A file of this text; its path. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const flags = {
  ...authenticationFlags,
  ...serviceAccountFlags,
  ...authorizationFlags,
  "authorization-always-allow-paths": listFlag(defaultAlwaysAllowPaths, { group: "Authorization", help: "" }),
} as const;

function settingsOf(args: readonly string[]): AccessSettings {
  const line = readCommandLine({ name: "x", description: "", version: "", flags }, args);
  assert.ok(line.run, "the command line can be read");
  return { values: line.values, given: [...line.given], tokens: [] };
}

function toolsOf() {
  const clock = createManualClock();
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  const log: Log = { trace: note, debug: note, info: note, warn: note, error: note, child: () => log };
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  return {
    clock,
    lines,
    metrics,
    deps: { naming, clock, log, metrics, objects: objectMap(), random: () => 0, environment: {} },
  };
}

async function setUp(t: TestContext, ...args: readonly string[]) {
  const tools = toolsOf();
  const access = await createAccess(settingsOf(args), tools.deps);
  t.after(() => access.stop());
  const may = async (name: string, ...groups: readonly string[]): Promise<string> => {
    const attributes = resourceAttributes({ user: user(name, ...groups) });
    return (await access.authorization.authorizer.authorize(attributes)).outcome;
  };
  return { ...tools, access, may };
}

const gone = join(folder, "gone");
const config = (kind: string, rest: string): string => `apiVersion: apiserver.config.k8s.io/v1\nkind: ${kind}\n${rest}`;
const webhook = `authorizers:
- type: Webhook
  name: far
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${gone}}
`;
const clientOfHttp = file(
  "http",
  "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: http://authz.example.com}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n",
);

const refused: readonly (readonly [args: readonly string[], problem: RegExp])[] = [
  [["--token-auth-file", gone], /^--token-auth-file: ENOENT/],
  [["--token-auth-file", file("tokens", "t,u\n")], /^--token-auth-file: line 1: needs three columns/],
  [["--service-account-key-file", gone], /^--service-account-key-file: ENOENT/],
  [["--service-account-key-file", file("key", "junk")], /^--service-account-key-file needs --service-account-issuer$/],
  [
    ["--service-account-key-file", file("key", "junk"), "--service-account-issuer", "https://a"],
    /^--service-account-key-file: keys\[0\]: the data holds no/,
  ],
  [["--authentication-config", gone], /^--authentication-config: ENOENT/],
  [["--authentication-config", file("torn", "a: [")], /^--authentication-config: /],
  [
    ["--authentication-config", file("twice", "kind: A\nkind: B\n")],
    /^--authentication-config: field "kind" is given twice/,
  ],
  [["--authentication-config", gone, "--oidc-client-id", "a"], /mutually exclusive/],
  [
    [
      "--authentication-config",
      file("anonymous", config("AuthenticationConfiguration", "anonymous: {}")),
      "--anonymous-auth",
    ],
    /^--anonymous-auth flag cannot be set/,
  ],
  [["--oidc-client-id", "a"], /must be specified together/],
  [["--oidc-issuer-url", "https://a", "--oidc-client-id", "a", "--oidc-ca-file", gone], /^--oidc-ca-file: ENOENT/],
  [["--authentication-token-webhook-config-file", gone], /^--authentication-token-webhook-config-file: .*ENOENT/s],
  [
    ["--authentication-token-webhook-config-file", clientOfHttp],
    /^--authentication-token-webhook-config-file: the webhook's address http:\/\/authz.example.com is not https/,
  ],
  [["--authorization-mode", "Magic"], /"Magic" is not a valid mode/],
  [["--authorization-mode", "ABAC"], /policy file not passed/],
  [["--authorization-mode", "ABAC", "--authorization-policy-file", gone], /^--authorization-policy-file: ENOENT/],
  [
    ["--authorization-mode", "ABAC", "--authorization-policy-file", file("abac", "x\n")],
    /^--authorization-policy-file: line 1: is no JSON/,
  ],
  [
    ["--authorization-mode", "Webhook", "--authorization-webhook-config-file", gone],
    /^the authorization webhook default: .*ENOENT/s,
  ],
  [["--authorization-config", gone], /^--authorization-config: ENOENT/],
  [["--authorization-config", gone, "--authorization-mode", "RBAC"], /can not be specified when --authorization-mode/],
  [
    ["--authorization-config", file("none", config("AuthorizationConfiguration", ""))],
    /^--authorization-config: authorizers: Required value/,
  ],
  [
    ["--authorization-config", file("far", config("AuthorizationConfiguration", webhook))],
    /^--authorization-config: the authorization webhook far: .*ENOENT/s,
  ],
  [
    [
      "--authorization-config",
      file("near", config("AuthorizationConfiguration", webhook.replace(/\{type.*\}/, "{type: InClusterConfig}"))),
    ],
    /^--authorization-config: the authorization webhook far: not in a cluster: KUBERNETES_SERVICE_HOST is not set/,
  ],
  [
    [
      "--authorization-config",
      file("policy", config("AuthorizationConfiguration", "authorizers: [{type: ABAC, name: abac}]")),
    ],
    /^--authorization-config: ABAC needs --authorization-policy-file$/,
  ],
  [["--authorization-always-allow-paths", "/a*b"], /^--authorization-always-allow-paths: only a trailing \*/],
  [["--redis", "redis://127.0.0.1:1"], /^--redis needs --redis-key-file$/],
  [["--redis", "redis://127.0.0.1:1", "--redis-key-file", gone], /^--redis-key-file: ENOENT/],
  [
    ["--redis", "redis://127.0.0.1:1", "--redis-key-file", file("short", "secret")],
    /^--redis-key-file: the secret must have at least 32 bytes/,
  ],
  [
    ["--redis", "http://a", "--redis-key-file", file("long", "s".repeat(32))],
    /^--redis: the address of the shared cache is no redis/,
  ],
];
for (const [args, message] of refused) {
  test(`refused: ${args.join(" ").replaceAll(`${folder}/`, "")}`, async () => {
    await assert.rejects(createAccess(settingsOf(args), toolsOf().deps), (error) => {
      assert.ok(error instanceof ConfigurationError, String(error));
      assert.match(error.message, message);
      return true;
    });
  });
}

test("masters may do all, everyone may see health; behind gateways nobody asks for paths", async (t) => {
  const { access, may, deps } = await setUp(t, "--authorization-mode", "AlwaysDeny");
  assert.deepEqual([await may("ann", naming.mastersGroup), await may("bob")], ["allow", "noOpinion"]);
  const livez = { kind: "path", user: user("bob"), verb: "get", path: "/livez" } as const;
  assert.equal((await access.authorization.authorizer.authorize(livez)).outcome, "allow");
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const behind = await createAuthorizationAccess(settingsOf(["--authorization-mode", "AlwaysDeny"]), {
    ...deps,
    metrics,
  });
  t.after(() => behind.stop());
  assert.equal((await behind.authorization.authorizer.authorize(livez)).outcome, "noOpinion");
  assert.doesNotMatch(await metrics.text(), /authentication/);
});

test("the rules of a chain are those of all its members, incomplete where one cannot list its own", async (t) => {
  const policies = file("policies", '{"user":"bob","resource":"pods","namespace":"n","readonly":true}\n');
  const { access } = await setUp(
    t,
    "--authorization-mode",
    "ABAC,AlwaysAllow",
    "--authorization-policy-file",
    policies,
  );
  const { rules, incomplete } = await access.authorization.rules.rulesFor(user("bob"), "n");
  assert.deepEqual([rules.length, incomplete], [3, false]);
  assert.equal(access.authorization.health(), undefined);
});

test("before the rules of RBAC are there it is not well", async (t) => {
  const { access } = await setUp(t, "--authorization-mode", "RBAC");
  assert.match(access.authorization.health() ?? "", /not loaded yet/);
});

test("tokens of the file are known, for the audiences of this server; paths without credentials as the file says", async (t) => {
  const tokens = file("good", "t0ken,bob,7,dev\n");
  const anonymous = file(
    "paths",
    config("AuthenticationConfiguration", "anonymous: {enabled: true, conditions: [{path: /livez}]}"),
  );
  const { access } = await setUp(
    t,
    "--token-auth-file",
    tokens,
    "--api-audiences",
    "api",
    "--authentication-config",
    anonymous,
  );
  const { authentication } = access;
  const verdict = await authentication.tokens.authenticateToken("t0ken", ["api", "other"]);
  assert.ok(verdict.outcome === "allow");
  assert.deepEqual([verdict.user.name, verdict.audiences], ["bob", ["api"]]);
  assert.equal((await authentication.tokens.authenticateToken("t0ken", ["other"])).outcome, "none");
  assert.equal(authentication.anonymous("/livez")?.name, naming.anonymousUser);
  assert.equal(authentication.anonymous("/metrics"), undefined);
});

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
};

test("a changed chain is in force once it is made, and counted then; one that cannot be is counted as a failure", async (t) => {
  const chain = (...entries: readonly string[]): void =>
    void file("chain", config("AuthorizationConfiguration", `authorizers: [${entries.join(", ")}]`));
  const [deny, allow] = ["{type: AlwaysDeny, name: alwaysdeny}", "{type: AlwaysAllow, name: alwaysallow}"];
  chain(deny, allow);
  const { clock, metrics, may, lines } = await setUp(t, "--authorization-config", join(folder, "chain"));
  const reloads = async (status: string): Promise<number> => {
    const line = new RegExp(`_authorization_config_controller_automatic_reloads_total\\{status="${status}"\\} (\\d+)`);
    return Number(line.exec(await metrics.text())?.[1] ?? 0);
  };
  const changed = async (...entries: readonly string[]): Promise<readonly number[]> => {
    chain(...entries);
    clock.advance(1000);
    const before = (await reloads("success")) + (await reloads("failure"));
    for (let i = 0; i < 500 && (await reloads("success")) + (await reloads("failure")) === before; i++) await turns();
    return [await reloads("success"), await reloads("failure")];
  };
  assert.equal(await may("bob"), "allow");
  assert.deepEqual(await changed(allow, deny), [1, 0]);
  assert.deepEqual(await changed(allow), [1, 1], "those that are no webhooks stay");
  assert.ok(lines.some((line) => line.includes("what they held before stays in force")));
  assert.deepEqual(await changed("{type: Nobody, name: nobody}"), [1, 2]);
  const hook =
    "{timeout: 3s, subjectAccessReviewVersion: v1, matchConditionSubjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: InClusterConfig}, matchConditions: [{expression: request.foo}]}";
  assert.deepEqual(await changed(deny, allow, `{type: Webhook, name: a, webhook: ${hook}}`), [1, 3]);
  assert.equal(await may("bob"), "allow");
});
