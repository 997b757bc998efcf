import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Http } from "../harness/http.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

const group = "ruled.example.com";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: {
          type: "integer",
          "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "may only grow" }, { rule: "self < 10" }],
        },
        name: {
          type: "string",
          maxLength: 20,
          "x-kubernetes-validations": [{ rule: "self != 'xx'", messageExpression: "'not ' + self" }],
        },
        text: { type: "string" },
      },
      "x-kubernetes-validations": [
        { rule: "!has(self.name) || self.name.startsWith('x')", fieldPath: ".name", reason: "FieldValueForbidden" },
      ],
    },
    status: {
      type: "object",
      properties: { phase: { type: "string", maxLength: 20 } },
      "x-kubernetes-validations": [{ rule: "self.phase != 'Broken'", message: "never broken" }],
    },
  },
};

function definition(plural: string, openAPIV3Schema: object): object {
  const kind = `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
  const version = {
    name: "v1",
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema },
  };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names: { plural, kind }, versions: [version] },
  };
}

const path = (plural: string): string => `/apis/${group}/v1/namespaces/default/${plural}`;

async function define(http: Http, definitions: string, plural: string): Promise<void> {
  const made = await http.post(definitions, definition(plural, schema));
  assert.equal(made.status, 201, made.text);
  await until("the kind is served", async () => (await http.get(path(plural))).status === 200 || undefined);
}

const object = (kind: string, name: string, spec: object): object => ({
  ...{ apiVersion: `${group}/v1`, kind, metadata: { name } },
  spec,
});

function refusedFor(answer: Answer, field: string, message: string): void {
  assert.equal(answer.status, 422, answer.text);
  assert.deepEqual([answer.at("details.causes.0.field"), answer.at("details.causes.0.message")], [field, message]);
}

/** What the schema of a custom resource says in expressions. */
export function schemaRuleSuite(on: On): void {
  const definitionsOf = (): string => `/apis/${on().target.naming.group("apiextensions")}/v1/customresourcedefinitions`;

  test("a definition whose rules cannot be compiled, or cost too much, is refused with their fields", async () => {
    const { http } = on();
    const ruled = (rule: object) => ({ type: "array", items: { type: "string" }, "x-kubernetes-validations": [rule] });
    const post = (rule: object) =>
      http.post(definitionsOf(), definition("bolts", { type: "object", properties: { a: ruled(rule) } }));
    const at = "spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule";
    const wrong = await post({ rule: "self.nothing > 1" });
    assert.equal(wrong.at("details.causes.0.field"), at, wrong.text);
    assert.match(String(wrong.at("details.causes.0.message")), /compilation failed: ERROR: <input>:1:5: type 'list/);
    const costly = await post({ rule: "self.all(x, self.all(y, x == y))" });
    assert.equal(costly.at("details.causes.0.field"), at, costly.text);
    assert.match(String(costly.at("details.causes.0.message")), /^Forbidden: estimated rule cost exceeds budget by/);
  });

  test("objects keep the rules at create, update, status update, patch and apply, small and large", async () => {
    const { http } = on();
    await define(http, definitionsOf(), "gadgets");
    const all = path("gadgets");
    const grown = 'Invalid value: "integer": may only grow';
    refusedFor(
      await http.post(all, object("Gadget", "a", { size: 12 })),
      "spec.size",
      'Invalid value: "integer": failed rule: self < 10',
    );
    const misnamed = await http.post(all, object("Gadget", "a", { name: "y" }));
    refusedFor(misnamed, "spec.name", "Forbidden: failed rule: !has(self.name) || self.name.startsWith('x')");
    const doubled = await http.post(all, object("Gadget", "a", { name: "xx" }));
    refusedFor(doubled, "spec.name", 'Invalid value: "string": not xx');
    const made = await http.post(all, object("Gadget", "a", { size: 5, name: "x" }));
    assert.equal(made.status, 201, made.text);
    refusedFor(await http.put(`${all}/a`, { ...made.object(), spec: { size: 4 } }), "spec.size", grown);
    refusedFor(await http.patch(`${all}/a`, "merge", { spec: { size: 4 } }), "spec.size", grown);
    const applied = object("Gadget", "a", { size: 4 });
    const forced = { fieldManager: "m", force: true };
    refusedFor(await http.patch(`${all}/a`, "apply", applied, forced), "spec.size", grown);
    const broken = await http.patch(`${all}/a/status`, "merge", { status: { phase: "Broken" } });
    refusedFor(broken, "status", 'Invalid value: "object": never broken');
    assert.equal((await http.patch(`${all}/a/status`, "merge", { status: { phase: "Ready" } })).status, 200);
    const large = { text: "x".repeat(200_000) };
    refusedFor(await http.patch(`${all}/a`, "merge", { spec: { ...large, size: 3 } }), "spec.size", grown);
    assert.equal((await http.patch(`${all}/a`, "merge", { spec: { ...large, size: 6 } })).status, 200);
    await http.delete(all);
    await http.delete(`${definitionsOf()}/gadgets.${group}`);
  });

  test("a rule that came later warns of what broke it before and stays as it was", async () => {
    const { http } = on();
    await define(http, definitionsOf(), "cranks");
    const all = path("cranks");
    const made = await http.post(all, object("Crank", "a", { size: 9, text: "old" }));
    assert.equal(made.status, 201, made.text);
    const rules = [{ rule: "self != 'old'", message: "too old" }];
    const text = { type: "string", maxLength: 9, "x-kubernetes-validations": rules };
    const { spec } = schema.properties;
    const strict = { ...spec, properties: { ...spec.properties, text } };
    const later = { ...schema, properties: { ...schema.properties, spec: strict } };
    const changed = await http.patch(`${definitionsOf()}/cranks.${group}`, "merge", definition("cranks", later));
    assert.equal(changed.status, 200, changed.text);
    await until("the rule is in force", async () => {
      const answer = await http.post(all, object("Crank", "b", { text: "old" }), { dryRun: "All" });
      return answer.status === 422 || undefined;
    });
    const kept = await http.patch(`${all}/a`, "merge", { metadata: { labels: { a: "b" } } });
    assert.equal(kept.status, 200, kept.text);
    assert.match(String(kept.headers["warning"]), /spec\.text: Invalid value: ..string..: too old/);
    await http.delete(all);
    await http.delete(`${definitionsOf()}/cranks.${group}`);
  });
}
