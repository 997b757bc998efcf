import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { hooked } from "../../testing/webhooks.js";

const map = { metadata: { name: "a" } };
const long = "x".repeat(500_000);

test("what a webhook that denies says is told, and no more of it than anybody reads", async (t) => {
  const { write, react, configure } = await hooked(t);
  await configure("Validating", "v", [{}]);
  const said = async (status: object): Promise<ApiError> => {
    react(() => ({ allowed: false, status }));
    const refused = await write({}, map).catch((error: unknown) => error);
    assert.ok(refused instanceof ApiError);
    return refused;
  };
  const causes = [{ reason: "Odd", message: "m", field: "f" }, { message: "n" }];
  const details = { name: "n", group: "g", kind: "k", uid: "u", causes, retryAfterSeconds: 3 };
  const short = await said({ message: "y".repeat(10_000), reason: "Because", details });
  assert.ok(short.message.endsWith(`: ${"y".repeat(10_000)}`));
  assert.deepEqual(short.details, details);
  const wide = await said({
    message: long,
    reason: long,
    details: {
      ...{ name: long, group: long, kind: long, uid: long },
      causes: Array.from({ length: 1000 }, () => ({ message: "m", reason: long, field: 7 })),
    },
  });
  assert.match(wide.message, / characters more\)$/);
  const { length } = JSON.stringify(wide.toStatus());
  assert.ok(length < 40_000, String(length));
});

test("what a webhook answers is quoted in part, where it is wrong", async (t) => {
  const { says, react, configure } = await hooked(t);
  await configure("Mutating", "m", [{}]);
  const reactions: readonly ((uid: string) => object)[] = [
    () => ({ uid: long, allowed: true }),
    (uid) => ({ uid, allowed: true, patchType: long, patch: "AA==" }),
  ];
  for (const response of reactions) {
    react(({ apiVersion, request: { uid } }) => ({
      review: { kind: "AdmissionReview", apiVersion, response: response(uid) },
    }));
    const told = await says({}, map);
    assert.match(told, /^500 Internal error occurred: .* characters more\)/);
    assert.ok(told.length < 2000, String(told.length));
  }
  react(() => ({ review: { kind: long, apiVersion: long, response: {} } }));
  assert.ok((await says({}, map)).length < 4000);
});

test("warnings and notes of a webhook are bounded", async (t) => {
  const { write, react, configure } = await hooked(t);
  await configure("Validating", "v", [{}]);
  react(() => ({ allowed: true, warnings: [long, 1, ...Array.from({ length: 2000 }, (_, i) => `w${i}`)] }));
  const { warnings } = await write({ options: { dryRun: "All" } }, map);
  assert.equal(warnings.length, 1000);
  assert.ok((warnings[0]?.length ?? 0) < 10_000);
  react(() => ({ allowed: true, warnings: ["", "a\nb", "\u0085", "dup", "dup", "ü"] }));
  assert.deepEqual((await write({ options: { dryRun: "All" } }, map)).warnings, ["dup", "dup", "ü"]);
});

test("answers in the old version need neither a uid nor a type of their patch", async (t) => {
  const { says, write, read, react, configure, asked } = await hooked(t);
  await configure("Mutating", "m", [{ admissionReviewVersions: ["v1beta1", "v1"] }]);
  react(() => ({ review: { response: { allowed: false, status: { message: "old" } } } }));
  assert.equal(await says({}, map), '400 admission webhook "m-0.example.com" denied the request: old');
  assert.equal(asked.at(-1)?.apiVersion, "admission.k8s.io/v1beta1");
  const patch = Buffer.from('[{"op":"add","path":"/data","value":{"a":"b"}}]').toString("base64");
  react(() => ({ review: { response: { allowed: true, patch } } }));
  assert.deepEqual(read(await write({}, map))["data"], { a: "b" });
});
