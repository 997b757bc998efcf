import assert from "node:assert/strict";
import { test } from "node:test";
import { impersonationHeaders } from "./impersonation.js";

test("impersonation is told in headers, escaped where a name could not hold it", () => {
  assert.deepEqual(impersonationHeaders({ user: "ann" }), { "impersonate-user": "ann" });
  assert.deepEqual(
    impersonationHeaders({
      user: "é",
      uid: "1",
      groups: ["a", "b"],
      extra: { scopes: ["x", "y"], "acme.com/a b%": ["z"] },
    }),
    {
      "impersonate-user": "Ã©",
      "impersonate-uid": "1",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-scopes": ["x", "y"],
      "impersonate-extra-acme.com%2Fa%20b%25": ["z"],
    },
  );
});
