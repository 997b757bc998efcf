import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { programs, run, temporaryFolder } from "./command-line-program.js";
import { type Call, type Credentials, connect, valueAt } from "./harness/http.js";
import {
  type AccessWebhook,
  allow,
  configuration,
  hook,
  startAccessWebhook,
} from "./harness/servers/access-webhook.js";
import { assertFailure } from "./harness/status.js";
import { startStandalone } from "./harness/target.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const user = (name: string, ...groups: string[]): Credentials => ({ type: "user", name, groups });
const cannotList = (name: string, why: string): string =>
  `configmaps is forbidden: User "${name}" cannot list resource "configmaps" in API group "" in the namespace "default"${why}`;

let first: AccessWebhook;
before(async () => {
  first = await startAccessWebhook(createNaming("kubernetes"));
});
after(() => first.close());

/** What standalone says where it does not start with these flags. */
async function refusal(t: TestContext, args: readonly string[]): Promise<string> {
  const running = run(t, [programs.standalone, `--data-dir=${await temporaryFolder(t)}`, "--secure-port=0", ...args]);
  const { code } = await running.exit;
  assert.notEqual(code, 0);
  return running.errors();
}

test("a configuration that makes no sense is refused at the start in plain words, expressions too", async (t) => {
  const own = await temporaryFolder(t);
  const conditions = (count: number) => ({
    matchConditionSubjectAccessReviewVersion: "v1",
    matchConditions: Array.from({ length: count }, (_, i) => ({ expression: `request.user != '${i}'` })),
  });
  const rows: readonly (readonly [fields: object, says: string])[] = [
    [
      { ...conditions(0), matchConditions: [{ expression: "request.nope == 1" }] },
      `matchConditions[0].expression: Invalid value: "request.nope == 1": compilation failed: ERROR: <input>:1:8: undefined field 'nope'`,
    ],
    [conditions(65), "matchConditions: Too many: 65: must have at most 64 items"],
    [{ timeout: "31s" }, 'timeout: Invalid value: "31s": must be > 0s and <= 30s'],
    [{ timeout: undefined }, "timeout: Required value"],
    [{ failurePolicy: "Allow" }, 'failurePolicy: Unsupported value: "Allow"'],
  ];
  const path = join(own, "authorization.json");
  const hooks = rows.map(([fields], i) => hook({ name: `hook-${i}`, webhook: first, fields }));
  await writeFile(path, configuration(hooks));
  const errors = await refusal(t, ["--api-dialect=kubernetes", `--authorization-config=${path}`]);
  assert.match(errors, /--authorization-config: /);
  for (const [i, [, says]] of rows.entries()) {
    assert.ok(errors.includes(`authorizers[${i}].webhook.${says}`), `${says}: ${errors}`);
  }
});

test("flags that do not go together are refused at the start", async (t) => {
  const own = await temporaryFolder(t);
  const policies = join(own, "policies.jsonl");
  const wrong = join(own, "wrong.jsonl");
  const config = join(own, "authorization.json");
  const policy = (spec: object): string =>
    JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec });
  await writeFile(policies, policy({ user: "a" }));
  await writeFile(
    wrong,
    `# who may do what\n${policy({ user: "a" })}\n\n${policy({ user: "a", readOnly: true })}\nx\n`,
  );
  await writeFile(config, configuration([{ type: "RBAC", name: "rbac" }]));
  const rows: readonly (readonly [args: readonly string[], says: readonly string[]])[] = [
    [
      ["--authorization-mode=Root,RBAC,RBAC,ABAC,Webhook"],
      [
        'authorization-mode "Root" is not a valid mode',
        'authorization-mode ["Root" "RBAC" "RBAC" "ABAC" "Webhook"] has mode specified more than once',
        "authorization-mode ABAC's authorization policy file not passed",
        "authorization-mode Webhook's authorization config file not passed",
      ],
    ],
    [
      [`--authorization-policy-file=${policies}`, `--authorization-webhook-config-file=${first.configFile}`],
      [
        "cannot specify --authorization-policy-file without mode ABAC",
        "cannot specify --authorization-webhook-config-file without mode Webhook",
      ],
    ],
    [
      ["--authorization-mode=RBAC", `--authorization-config=${config}`],
      [
        "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
      ],
    ],
    [
      ["--authorization-mode=ABAC", `--authorization-policy-file=${wrong}`],
      ['line 4: unknown field "readOnly"', "line 5: is no JSON object"],
    ],
    [[`--authorization-config=${own}/absent`], ["--authorization-config: ", "/absent"]],
    [["--redis=redis://127.0.0.1:1"], ["--redis needs --redis-key-file"]],
  ];
  // A few at once: each is a process that ends by itself.
  for (let i = 0; i < rows.length; i += 3) {
    await Promise.all(
      rows.slice(i, i + 3).map(async ([args, says]) => {
        const errors = await refusal(t, ["--api-dialect=kubernetes", ...args]);
        for (const text of says) assert.ok(errors.includes(text), `${args.join(" ")}: ${errors}`);
        assert.doesNotMatch(errors, /^\s+at .*:\d+:\d+\)?$/m, "a stack is no message");
      }),
    );
  }
});

/** A standalone server with these modes, and what it answers to somebody. */
async function withModes(t: TestContext, args: readonly string[]) {
  const server = await startStandalone({ args: ["--secure-port=0", ...args] });
  const client = connect(server);
  t.after(async () => {
    client.close();
    await server.stop();
  });
  return async (call: Call, who: string, ...groups: string[]) => client.call({ ...call, as: user(who, ...groups) });
}

test("AlwaysDeny denies in its own words, to all but the masters", async (t) => {
  const ask = await withModes(t, ["--authorization-mode=AlwaysDeny"]);
  const message = cannotList("ann", ": Everything is forbidden.");
  assertFailure(await ask({ path: configMaps }, "ann"), { code: 403, reason: "Forbidden", message });
  assert.equal((await ask({ path: configMaps }, "ann", "system:masters")).status, 200);
  assert.equal((await ask({ path: "/readyz" }, "ann")).status, 200);
});

test("AlwaysAllow allows everybody everything, anonymous users too", async (t) => {
  const ask = await withModes(t, ["--authorization-mode=AlwaysAllow"]);
  assert.equal((await ask({ path: "/api/v1/secrets" }, "ann")).status, 200);
  assert.equal((await ask({ path: "/metrics" }, "system:anonymous", "system:unauthenticated")).status, 200);
  const made = { method: "POST", path: `${rbac}/clusterroles`, query: { dryRun: "All" } };
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  assert.equal((await ask({ ...made, body: { metadata: { name: "x" }, rules } }, "ann")).status, 201);
});

test("ABAC allows what a line of its file says and nothing else", async (t) => {
  const path = join(await temporaryFolder(t), "policies.jsonl");
  const lines: readonly object[] = [
    { user: "reader", namespace: "default", resource: "configmaps", apiGroup: "*", readonly: true },
    { group: "writers", namespace: "*", resource: "configmaps", apiGroup: "*" },
    { user: "prober", nonResourcePath: "/metrics", readonly: true },
  ];
  const head = { apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy" };
  await writeFile(path, lines.map((spec) => JSON.stringify({ ...head, spec })).join("\n"));
  const ask = await withModes(t, ["--authorization-mode=ABAC", `--authorization-policy-file=${path}`]);
  const create: Call = {
    ...{ method: "POST", path: configMaps, query: { dryRun: "All" } },
    body: { metadata: { name: "new" } },
  };
  const rows: readonly (readonly [Call, who: string, groups: readonly string[], status: number])[] = [
    [{ path: configMaps }, "reader", [], 200],
    [{ path: configMaps, query: { watch: true, timeoutSeconds: 1 } }, "reader", [], 200],
    [create, "reader", [], 403],
    [{ path: "/api/v1/configmaps" }, "reader", [], 403],
    [{ path: "/api/v1/namespaces/default/secrets" }, "reader", [], 403],
    [{ path: "/metrics" }, "reader", [], 403],
    [create, "ann", ["writers"], 201],
    [{ path: "/api/v1/configmaps" }, "ann", ["writers"], 200],
    [create, "ann", [], 403],
    [{ path: "/metrics" }, "prober", [], 200],
    [{ path: "/metrics", method: "POST" }, "prober", [], 403],
    [{ path: "/metrics/slis" }, "prober", [], 403],
  ];
  for (const [call, who, groups, status] of rows) {
    const answer = await ask(call, who, ...groups);
    assert.equal(answer.status, status, `${who} ${call.method ?? "GET"} ${call.path}: ${answer.text}`);
  }
  const message = cannotList("ann", ": No policy matched.");
  assertFailure(await ask({ path: configMaps }, "ann"), { code: 403, reason: "Forbidden", message });
});

test("a webhook of the flags is asked in its place, in the version of its flag", async (t) => {
  const ask = await withModes(t, [
    "--authorization-mode=RBAC,Webhook",
    `--authorization-webhook-config-file=${first.configFile}`,
    "--authorization-webhook-cache-authorized-ttl=0s",
  ]);
  first.replies.set("guest", allow);
  for (let i = 0; i < 2; i++) assert.equal((await ask({ path: configMaps }, "guest", "g")).status, 200);
  const questions = first.askedOf("guest");
  // Nothing is kept for no time; and RBAC, which comes first, has said yes to this without it.
  assert.equal(questions.length, 2);
  assert.equal((await ask({ path: "/version" }, "guest")).status, 200);
  assert.equal(first.askedOf("guest").length, 2);
  const [{ body } = { body: undefined }] = questions;
  assert.equal(valueAt(body, "apiVersion"), "authorization.k8s.io/v1beta1");
  assert.deepEqual(valueAt(body, "spec.group"), ["g", "system:authenticated"]);
  const message = cannotList("nobody", "");
  assertFailure(await ask({ path: configMaps }, "nobody"), { code: 403, reason: "Forbidden", message });
});
