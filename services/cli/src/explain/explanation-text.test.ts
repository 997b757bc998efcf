import assert from "node:assert/strict";
import { test } from "node:test";
import { explanationText } from "./explanation-text.js";

const request = { verb: "patch", resource: "configmaps", user: { name: "bob" }, fieldManager: "two" };
const authorization = {
  allowed: true,
  reason: "RBAC: …",
  binding: { kind: "RoleBinding", name: "b", namespace: "shop" },
  role: { kind: "Role", name: "r" },
  subject: { kind: "User", name: "bob", namespace: "" },
};
const metadata = { name: "c", namespace: "shop" };

test("an explanation is read from the top: who, by what right, each stage, owners, the result", () => {
  const by = (manager: string) => [{ manager, operation: "Apply" }];
  const document = {
    ...{ request, metadata, authorization, outcome: "changed", warnings: ["beware"] },
    stages: [
      { name: "read" },
      { name: "change", changes: [{ path: ".data.a", operation: "changed", before: "1", after: "2" }] },
      { name: "place" },
      {
        name: "mutate",
        changes: [{ path: ".data.b", operation: "added", after: { deep: true } }],
        asked: [
          {
            ...{ type: "webhook", name: "w", configuration: "c", outcome: "changed" },
            changes: [{ path: ".data.b", operation: "added", after: { deep: true } }],
          },
          { type: "plugin", name: "P", outcome: "unchanged" },
        ],
      },
      { name: "store", from: "v2", to: "v1" },
    ],
    owners: [{ path: ".data.a", outcome: "taken", before: by("one"), after: by("two") }],
  };
  assert.equal(
    explanationText(document),
    `patch configmaps shop/c by bob as two
allowed   by RoleBinding shop/b of Role r to User bob
warning   beware

–         nothing in read
change    1 field
  ~ .data.a: "1" → "2"
–         nothing in place
mutate    1 field
  webhook w of c changed
    + .data.b = {"deep":true}
  asked, nothing to say: P
store     –   v2 → v1

owners of fields
  .data.a  one (Apply) → two (Apply)  taken

result    would be changed`,
  );
});

test("a refusal tells its stage, who refuses and every cause; nothing of it commands a terminal", () => {
  const status = {
    message: "no \u001b[2J\u009b",
    code: 422,
    details: { causes: [{ field: "data.a", message: "wrong" }] },
  };
  const refusal = { stage: "admit", by: { type: "policy", name: "p", binding: "b" }, status };
  const text = explanationText({ request, metadata, authorization, outcome: "refused", refusal, stages: [] });
  assert.match(
    text,
    /result {4}refused in stage admit by policy p with binding b \(422\)\n {2}no \\u001b\[2J\\u009b\n {2}data\.a: wrong$/,
  );
});

test("what is no explanation is shown without failing", () => {
  for (const document of [undefined, null, [], { stages: 7, owners: { a: 1 }, refusal: 3, outcome: "refused" }]) {
    assert.equal(typeof explanationText(document), "string");
  }
});
