import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import { expectErrors } from "../../testing/error-rows.js";
import { createKindKit } from "../../testing/kind-kit.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const Request = "authentication.k8s.io/v1.TokenRequest";
const at = "spec.expirationSeconds: Invalid value:";
const tokenFor = (expirationSeconds: number) => ({ spec: { audiences: [], expirationSeconds } });

test("a token is asked for an hour", () => {
  for (const tree of [{}, { spec: { audiences: ["a"] } }]) {
    assert.equal(valueAt(kit.defaulted(Request, tree), "spec.expirationSeconds"), 3600);
  }
});

expectErrors("a token for ten minutes", [], () => kit.virtualErrors(Request, tokenFor(600)));
expectErrors("a token for less", [`${at} 599: may not specify a duration less than 10 minutes`], () =>
  kit.virtualErrors(Request, tokenFor(599)),
);
expectErrors(
  "a token for longer than its number",
  [`${at} 4294967297: may not specify a duration larger than 2^32 seconds`],
  () => kit.virtualErrors(Request, tokenFor(4_294_967_297)),
);
for (const kind of ["v1.TokenReview", "v1beta1.TokenReview", "v1.SelfSubjectReview", "v1alpha1.SelfSubjectReview"]) {
  expectErrors(`a ${kind} that says nothing`, [], () => kit.virtualErrors(`authentication.k8s.io/${kind}`, {}));
}
