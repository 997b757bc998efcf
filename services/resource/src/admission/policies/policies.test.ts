import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { valueAt } from "@orch/api/object.js";
import { alwaysAllow } from "@orch/auth/fixed-authorizers.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import { key, revision } from "@orch/store/revision.js";
import { type Admitted, admitted, clusterWide } from "../../testing/admitted.js";

/** A line of `testdata/admission-policies.jsonl`: policies and bindings, and what becomes of writes that are only tried. */
interface Row {
  readonly about: string;
  readonly objects: readonly { readonly kind: string; readonly name: string; readonly spec: object }[];
  readonly writes: readonly Tried[];
}

interface Tried {
  /** `POST /apis/pol.example.com/v1/namespaces/obs/items` */
  readonly write: string;
  /** Where absent an item `a` whose `spec.n` is 1. */
  readonly body?: object;
  readonly user?: string;
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: object;
  readonly warnings?: readonly string[];
  /** Those of the audit event. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What the answer has at paths. */
  readonly has?: Readonly<Record<string, unknown>>;
}

const rows: readonly Row[] = readFileSync(
  new URL("../../../testdata/admission-policies.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const group = "pol.example.com";
const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const integer = { type: "integer" };
const itemSpec = {
  ...any,
  properties: {
    n: integer,

    l: { type: "array", items: { type: "string" } },
    lm: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, v: { type: "string" } },
      },
    },
  },
};

function definitionOf(plural: string, kind: string, scope: "Namespaced" | "Cluster"): object {
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: itemSpec, status: any } } };
  const version = { name: "v1", served: true, storage: true, subresources: { status: {}, scale }, schema };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names: { plural, kind, singular: kind.toLowerCase() }, versions: [version] },
  };
}

const everyItem = {
  resourceRules: [
    { apiGroups: [group], apiVersions: ["*"], operations: ["*"], resources: ["items", "items/*"], scope: "*" },
  ],
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
};

/** Clients of two users: one may do everything, of the other it is asked. */
const admin = { name: "admin", uid: "", groups: ["system:masters", "dev"], extra: { scopes: ["a"] } };

async function cluster(t: TestContext): Promise<Admitted> {
  const one = await admitted(t, {
    mutatingPolicies: true,
    disabled: ["NamespaceLifecycle"],
    permissions: {
      rules: alwaysAllow,
      authorizer: {
        async authorize({ user }) {
          return user.name === "admin" ? { outcome: "allow", reason: "masters" } : { outcome: "noOpinion", reason: "" };
        },
      },
    },
  });
  const { make, settled } = one;
  const definitions = clusterWide("customresourcedefinitions", "apiextensions.k8s.io");
  for (const [name, team] of [
    ["obs", "a"],
    ["other", "b"],
  ]) {
    await make(clusterWide("namespaces", ""), { metadata: { name, labels: { team } } });
  }
  await make(definitions, definitionOf("items", "Item", "Namespaced"));
  await make(definitions, definitionOf("limits", "Limit", "Namespaced"));
  await make(definitions, definitionOf("climits", "CLimit", "Cluster"));
  await settled();
  const of = (kind: string, name: string, more: object) => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name },
    ...more,
  });
  const within = (resource: string) => ({ group, resource, namespace: "obs" });
  const gold = { metadata: { name: "e", labels: { tier: "gold" } } };
  await make(within("items"), of("Item", "e", { ...gold, spec: { n: 1 } }));
  await make(within("limits"), of("Limit", "v1", { spec: { max: 5, v: 1 } }));
  const selected = { metadata: { name: "v2", labels: { sel: "1" } } };
  await make(within("limits"), of("Limit", "v2", { ...selected, spec: { max: 0, v: 2 } }));
  await make(clusterWide("climits", group), of("CLimit", "c", { spec: { max: 0 } }));
  return one;
}

/** Puts objects where the store has them: what the reference was given went past its validation, too. */
async function store(
  { store, naming, settled }: Admitted,
  objects: Row["objects"],
  n: number,
): Promise<() => Promise<void>> {
  const put = objects.map(({ kind, name, spec }) => {
    const isPolicy = kind.endsWith("Policy");
    const version = kind.startsWith("Mutating") ? "v1alpha1" : "v1";
    const object = {
      ...{ apiVersion: `admissionregistration.k8s.io/${version}`, kind },
      metadata: { name, uid: `${n}-${kind}-${name}`, generation: 1 },
      spec: isPolicy ? { matchConstraints: everyItem, ...spec } : spec,
    };
    const plural = isPolicy ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`;
    return { at: key(`${naming.storePrefix}${plural}/${name}`), value: Buffer.from(JSON.stringify(object)) };
  });
  for (const { at, value } of put) assert.ok((await store.swap({ key: at, expected: revision(0), value })).done);
  await settled();
  return async () => {
    for (const { at } of put) {
      const entry = await store.get(at);
      await store.swap({ key: at, expected: entry?.revision ?? revision(0), value: undefined });
    }
    await settled();
  };
}

const verbs = new Map<string, WriteRequest["verb"]>([
  ["POST", "create"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

function requestOf({ write, user }: Tried): Partial<WriteRequest> {
  const [method = "", path = ""] = write.split(" ");
  const [, , from = "", version = "", ...rest] = path.split("/");
  const [namespace = "", resource = "", name = "", subresource = ""] =
    rest[0] === "namespaces" ? rest.slice(1) : ["", ...rest];
  const verb = verbs.get(method);
  assert.ok(verb !== undefined, method);
  return {
    ...{ verb, group: from, version, namespace, resource, name, subresource, options: { dryRun: "All" } },
    audit: "annotations",
    user: user === undefined ? admin : { ...admin, name: user, groups: [] },
    contentType: verb === "patch" ? "application/merge-patch+json" : "application/json",
  };
}

interface Answer {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

async function answered({ write, read }: Admitted, tried: Tried): Promise<Answer> {
  const usual = { apiVersion: `${group}/v1`, kind: "Item", metadata: { name: "a" }, spec: { n: 1 } };
  const { body = tried.write.startsWith("POST") ? usual : undefined } = tried;
  try {
    const reply = await write(requestOf(tried), body);
    const { code, warnings, annotations = {} } = reply;
    return { code, warnings, annotations, body: read(reply) };
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return { code: error.code, warnings: error.warnings, annotations: {}, body: { ...error.toStatus() } };
  }
}

test("who deletes something is warned", async (t) => {
  const one = await cluster(t);
  const validations = [{ expression: "object != null", message: "m" }];
  const away = await store(
    one,
    [
      { kind: "ValidatingAdmissionPolicy", name: "p", spec: { validations } },
      { kind: "ValidatingAdmissionPolicyBinding", name: "b", spec: { policyName: "p", validationActions: ["Warn"] } },
    ],
    0,
  );
  const path = `DELETE /apis/${group}/v1/namespaces/obs/items/e`;
  const { warnings } = await answered(one, { write: path, code: 200 });
  assert.deepEqual(warnings, ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': m"]);
  await away();
  assert.deepEqual((await answered(one, { write: path, code: 200 })).warnings, []);
});

test("admission policies answer what the reference answers", async (t) => {
  const one = await cluster(t);
  for (const [n, { about, objects, writes }] of rows.entries()) {
    await t.test(about, async () => {
      const away = await store(one, objects, n);
      try {
        for (const tried of writes) {
          const { code, warnings, annotations, body } = await answered(one, tried);
          assert.equal(code, tried.code, JSON.stringify(body));
          if (tried.message !== undefined) assert.equal(body["message"], tried.message);
          if (tried.reason !== undefined) assert.equal(body["reason"], tried.reason);
          if (tried.details !== undefined) assert.deepEqual(body["details"], tried.details);
          assert.deepEqual(warnings, tried.warnings ?? []);
          assert.deepEqual(annotations, tried.annotations ?? {});
          for (const [path, value] of Object.entries(tried.has ?? {})) {
            assert.deepEqual(valueAt(body, path) ?? null, value, path);
          }
        }
      } finally {
        await away();
      }
    });
  }
});
