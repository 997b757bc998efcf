import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePolicy } from "./admission/policy.js";
import { runPolicy } from "./admission/validate.js";
import { createAsker } from "./asking.js";
import { type AuthorizationCheck, authorizerOf, requestResourceOf } from "./libraries/authorizer.js";

const dialect = "kubernetes";
const target = { group: "apps", resource: "deployments", subresource: "", namespace: "default", name: "web" };

function judge(expressions: readonly string[], variables: readonly { name: string; expression: string }[] = []) {
  const asked: string[] = [];
  const asker = createAsker(async (check: AuthorizationCheck) => {
    asked.push(check.verb);
    await new Promise((resolve) => setImmediate(resolve));
    return { allowed: check.verb === "scale", reason: check.verb };
  });
  const { authorize } = asker;
  const validations = expressions.map((expression) => ({ expression }));
  const policy = compilePolicy({ validations, variables }, { dialect, release: "1.32", isStored: () => true });
  const authorizer = {
    own: authorizerOf(dialect, authorize),
    requestResource: requestResourceOf(dialect, authorize, target),
  };
  const subject = { object: { spec: { n: 1 } }, oldObject: null, request: {}, namespace: null, authorizer };
  const outcome = asker.answered(() => runPolicy(policy, subject, { failurePolicy: "Fail" }));
  return { outcome, asked };
}

const check = (verb: string): string => `authorizer.requestResource.check('${verb}').allowed()`;

test("a policy that asks nobody is decided at once", () => {
  const { outcome, asked } = judge(["object.spec.n == 1", `object.spec.n == 1 || ${check("scale")}`]);
  assert.ok(!(outcome instanceof Promise));
  assert.deepEqual(asked, []);
});

test("what an expression asks is asked once, and its cost counted once", async () => {
  const { outcome, asked } = judge([`${check("scale")} && ${check("scale")}`, check("drop"), check("scale")]);
  const { decisions = [], cost } = await outcome;
  assert.deepEqual(
    decisions.map(({ action }) => action),
    ["admit", "deny", "admit"],
  );
  assert.deepEqual(asked, ["scale", "drop"]);
  // Four checks of 350,000, and a few units for what stands around them.
  assert.ok(cost !== undefined && cost > 1_400_000 && cost < 1_400_100, String(cost));
});

test("a variable that asks is evaluated once", async () => {
  const { outcome, asked } = judge(
    ["variables.may", "variables.may && !variables.not"],
    [
      { name: "may", expression: check("scale") },
      { name: "not", expression: check("drop") },
    ],
  );
  const { decisions = [], cost } = await outcome;
  assert.ok(decisions.every(({ action }) => action === "admit"));
  assert.deepEqual(asked, ["scale", "drop"]);
  assert.ok(cost !== undefined && cost > 700_000 && cost < 700_100, String(cost));
});

test("an expression has room for two questions: the third ends it", async () => {
  const { outcome, asked } = judge([`${check("scale")} && ${check("scale")} && ${check("drop")} && ${check("no")}`]);
  const { decisions = [] } = await outcome;
  assert.match(String(decisions[0]?.message), /operation cancelled: actual cost limit exceeded$/);
  assert.deepEqual(asked, ["scale", "drop"]);
});

test("what the authorizer fails with is the caller's", async () => {
  const asker = createAsker(() => Promise.reject(new Error("gone")));
  const run = () => asker.authorize({ user: { kind: "requester" }, verb: "get", path: "/" });
  await assert.rejects(async () => asker.answered(run), /gone/);
});
