import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuthorizationModeFlags, authorizationModes, chainFlags, configFileProblem } from "./modes.js";

const plain: AuthorizationModeFlags = {
  policyFile: "",
  webhookConfigFile: "",
  webhookVersion: "v1beta1",
  authorizedTtlMs: 300_000,
  unauthorizedTtlMs: 30_000,
};

test("modes become a chain in their order", () => {
  const flags = { ...plain, policyFile: "p", webhookConfigFile: "authz.conf", unauthorizedTtlMs: 0 };
  assert.deepEqual(authorizationModes(["Node", "RBAC", "Webhook", "ABAC", "AlwaysDeny"], flags), {
    ok: true,
    value: {
      authorizers: [
        { type: "Node", name: "node" },
        { type: "RBAC", name: "rbac" },
        {
          type: "Webhook",
          name: "default",
          webhook: {
            authorizedTtlMs: 300_000,
            unauthorizedTtlMs: 0,
            timeoutMs: 30_000,
            reviewVersion: "v1beta1",
            failurePolicy: "NoOpinion",
            connection: { type: "KubeConfigFile", path: "authz.conf" },
          },
        },
        { type: "ABAC", name: "abac" },
        { type: "AlwaysDeny", name: "alwaysdeny" },
      ],
    },
  });
});

const rows: readonly (readonly [modes: readonly string[], flags: Partial<AuthorizationModeFlags>, ...string[]])[] = [
  [[], {}, "at least one authorization-mode must be passed"],
  [["rbac"], {}, 'authorization-mode "rbac" is not a valid mode'],
  [["ABAC"], {}, "authorization-mode ABAC's authorization policy file not passed"],
  [["Webhook"], {}, "authorization-mode Webhook's authorization config file not passed"],
  [["RBAC"], { policyFile: "p" }, "cannot specify --authorization-policy-file without mode ABAC"],
  [["RBAC"], { webhookConfigFile: "w" }, "cannot specify --authorization-webhook-config-file without mode Webhook"],
  [["RBAC", "Node", "RBAC"], {}, 'authorization-mode ["RBAC" "Node" "RBAC"] has mode specified more than once'],
  [
    ["Webhook"],
    { webhookConfigFile: "w", webhookVersion: "v2" },
    'unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"',
  ],
  [
    ["Webhook", "Open"],
    { policyFile: "p" },
    "authorization-mode Webhook's authorization config file not passed",
    'authorization-mode "Open" is not a valid mode',
    "cannot specify --authorization-policy-file without mode ABAC",
  ],
];

for (const [modes, flags, ...problems] of rows) {
  test(`refused: ${problems.join("; ")}`, () => {
    assert.deepEqual(authorizationModes(modes, { ...plain, ...flags }), { ok: false, problems });
  });
}

test("a configuration file stands beside no flag of the chain", () => {
  for (const flag of chainFlags) assert.match(configFileProblem(["bind-address", flag]) ?? "", /can not be specified/);
  assert.equal(configFileProblem(["bind-address", "authorization-policy-file"]), undefined);
});
