import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { clusterWide, podOf, podsOf } from "../../testing/admitted.js";
import { type AskedReview, everything, type Hooked, hooked } from "../../testing/webhooks.js";

const signing = generateKeyPairSync("rsa", { modulusLength: 2048 });
const tokens = {
  issuer: "https://issuer.example.com",
  signingKeyPem: signing.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  apiAudiences: ["api"],
  maxSeconds: 0,
  extend: false,
};

interface Posted {
  readonly what: string;
  readonly request: Partial<WriteRequest>;
  readonly body: object;
  /** `group/version Kind` of the object. */
  readonly kind: string;
  /** `resource/subresource`. */
  readonly resource: string;
  readonly operation: string;
  /** Of the object, at paths. */
  readonly has: Readonly<Record<string, unknown>>;
}

const toNode = { kind: "Node", name: "n" };

const rows: readonly Posted[] = [
  {
    what: "an eviction",
    request: { ...podsOf, name: "p", subresource: "eviction" },
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" }, deleteOptions: {} },
    kind: "policy/v1 Eviction",
    resource: "pods/eviction",
    operation: "CREATE",
    has: { name: "p", namespace: "default" },
  },
  {
    what: "a binding",
    request: { ...podsOf, name: "p", subresource: "binding" },
    body: { metadata: { name: "p" }, target: toNode },
    kind: "/v1 Binding",
    resource: "pods/binding",
    operation: "CREATE",
    has: { name: "p", namespace: "default" },
  },
  {
    what: "a binding of the old kind",
    request: { resource: "bindings" },
    body: { metadata: { name: "p" }, target: toNode },
    kind: "/v1 Binding",
    resource: "bindings",
    operation: "CREATE",
    has: { name: "p", namespace: "default" },
  },
  {
    what: "a token request",
    request: { resource: "serviceaccounts", name: "sa", subresource: "token" },
    body: { spec: { audiences: [] } },
    kind: "authentication.k8s.io/v1 TokenRequest",
    resource: "serviceaccounts/token",
    operation: "CREATE",
    has: { name: "sa", namespace: "default" },
  },
  {
    what: "a scale",
    request: {
      ...{ verb: "patch", group: "apps", resource: "deployments", name: "d", subresource: "scale" },
      contentType: "application/merge-patch+json",
    },
    body: { spec: { replicas: 2 } },
    kind: "autoscaling/v1 Scale",
    resource: "deployments/scale",
    operation: "UPDATE",
    has: { name: "d", namespace: "default" },
  },
];

const labels = { a: "b" };
const deployment = {
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

async function cluster(t: Parameters<typeof hooked>[0]): Promise<Hooked> {
  const started = await hooked(t, { tokens });
  await started.make(podsOf, podOf("p"));
  await started.make({ resource: "serviceaccounts" }, { metadata: { name: "sa" } });
  await started.make({ group: "apps", resource: "deployments" }, deployment);
  return started;
}

const kindOf = ({ group, version, kind }: Record<string, string>): string => `${group}/${version} ${kind}`;

function shown({ request }: AskedReview): Pick<Posted, "kind" | "resource" | "operation"> {
  const { kind, requestKind, resource, requestResource, subResource, requestSubResource, operation, object } = request;
  assert.deepEqual([kind, resource, subResource], [requestKind, requestResource, requestSubResource]);
  const { apiVersion, kind: own } = Object(object);
  assert.equal(`${apiVersion.includes("/") ? "" : "/"}${apiVersion} ${own}`, kindOf(Object(kind)));
  const below = subResource === undefined ? "" : `/${subResource}`;
  return { kind: kindOf(Object(kind)), resource: `${Object(resource).resource}${below}`, operation };
}

for (const { what, request, body, kind, resource, operation, has } of rows) {
  test(`webhooks are asked about ${what}, once, and may refuse it`, async (t) => {
    const { says, asked, configure, react } = await cluster(t);
    for (const type of ["Mutating", "Validating"] as const) await configure(type, type.toLowerCase(), [{}]);
    asked.length = 0;
    react(({ url }) =>
      url.includes("/validating") ? { allowed: false, status: { message: "no" } } : { allowed: true },
    );
    assert.equal(await says(request, body), '400 admission webhook "validating-0.example.com" denied the request: no');
    const wanted = { kind, resource, operation };
    assert.deepEqual(asked.map(shown), [wanted, wanted]);
    for (const { request: of } of asked) {
      const { metadata } = Object(of["object"]);
      assert.deepEqual(Object.fromEntries(Object.keys(has).map((name) => [name, metadata[name]])), has);
    }
    asked.length = 0;
    react(() => ({ allowed: true }));
    assert.equal(await says(request, body), "ok");
    assert.deepEqual(asked.map(shown), [wanted, wanted], "what comes of it is nothing that anybody is asked about");
  });
}

test("what a webhook makes of a binding and of a token request counts", async (t) => {
  const { make, configure, react } = await cluster(t);
  await configure("Mutating", "m", [{}]);
  const patched = (path: string, value: unknown) => ({
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify([{ op: "replace", path, value }])).toString("base64"),
  });
  react(() => patched("/target/name", "other"));
  await make({ ...podsOf, name: "p", subresource: "binding" }, { metadata: { name: "p" }, target: toNode });
  react(() => ({ allowed: true }));
  const pod = await make({ ...podsOf, verb: "patch", name: "p", contentType: "application/merge-patch+json" }, {});
  assert.equal(Object(pod["spec"]).nodeName, "other");
  react(() => patched("/spec/audiences", ["else"]));
  const token = await make({ resource: "serviceaccounts", name: "sa", subresource: "token" }, {});
  assert.deepEqual(Object(token["spec"]).audiences, ["else"]);
});

test("policies are asked about what is posted to a subresource", async (t) => {
  const { make, says, settled } = await cluster(t);
  const group = "admissionregistration.k8s.io";
  const spec = {
    matchConstraints: { resourceRules: [{ ...everything, operations: ["CREATE"], resources: ["pods/eviction"] }] },
    validations: [{ expression: "object.kind == 'Eviction' && request.name != 'p'", message: "not this one" }],
  };
  await make(clusterWide("validatingadmissionpolicies", group), { metadata: { name: "v" }, spec });
  const bound = { policyName: "v", validationActions: ["Deny"] };
  await make(clusterWide("validatingadmissionpolicybindings", group), { metadata: { name: "v" }, spec: bound });
  await settled();
  const evict = { ...podsOf, name: "p", subresource: "eviction" };
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
  assert.match(await says(evict, body), /^422 pods "p" is forbidden: .*: not this one$/);
});

test("nothing is evicted or bound in a namespace that goes", async (t) => {
  const { make, says, write, settled } = await hooked(t);
  const spaces = { resource: "namespaces", namespace: "" };
  await make(spaces, { metadata: { name: "going" } });
  const pods = { ...podsOf, namespace: "going" };
  await make(pods, podOf("p"));
  await write({ ...spaces, verb: "delete", name: "going" });
  await settled();
  const terminating =
    '403 pods "p" is forbidden: unable to create new content in namespace going because it is being terminated';
  const bodies = { eviction: { metadata: { name: "p" } }, binding: { metadata: { name: "p" }, target: toNode } };
  for (const [subresource, body] of Object.entries(bodies)) {
    assert.equal(await says({ ...pods, name: "p", subresource }, body), terminating);
  }
});

const accessReviews = { group: "authorization.k8s.io", resource: "subjectaccessreviews", namespace: "" };
const asks = { spec: { user: "u", nonResourceAttributes: { path: "/", verb: "get" } } };

test("a review that concerns nobody is not looked at", async (t) => {
  const { admit } = await hooked(t);
  assert.deepEqual(await admit(accessReviews, asks), { code: 201, body: Buffer.alloc(0), warnings: [] });
});

test("webhooks are asked about reviews, may change and refuse them; policies are not", async (t) => {
  const { make, admit, asked, configure, react } = await hooked(t);
  const group = "admissionregistration.k8s.io";
  const spec = {
    matchConstraints: { resourceRules: [everything] },
    validations: [{ expression: "!request.resource.resource.endsWith('reviews')" }],
  };
  await make(clusterWide("validatingadmissionpolicies", group), { metadata: { name: "v" }, spec });
  const bound = { policyName: "v", validationActions: ["Deny"] };
  await make(clusterWide("validatingadmissionpolicybindings", group), { metadata: { name: "v" }, spec: bound });
  for (const type of ["Mutating", "Validating"] as const) await configure(type, type.toLowerCase(), [{}]);
  asked.length = 0;
  react(({ url }) => {
    if (url.includes("/validating")) return { allowed: true, warnings: ["w"] };
    const patch = Buffer.from(JSON.stringify([{ op: "replace", path: "/spec/user", value: "x" }])).toString("base64");
    return { allowed: true, patchType: "JSONPatch", patch };
  });
  const { body, warnings } = await admit(accessReviews, asks);
  assert.deepEqual(warnings, ["w"]);
  assert.equal(JSON.parse(body.toString()).spec.user, "x");
  const wanted = {
    kind: "authorization.k8s.io/v1 SubjectAccessReview",
    resource: "subjectaccessreviews",
    operation: "CREATE",
  };
  assert.deepEqual(asked.map(shown), [wanted, wanted]);
  assert.equal(Object(asked[1]?.request["object"]).spec.user, "x");

  react(() => ({ allowed: false, warnings: ["w"], status: { code: 418, message: "no" } }));
  const refused = await admit(accessReviews, asks);
  assert.deepEqual([refused.code, refused.warnings], [418, ["w"]]);
  assert.match(JSON.parse(refused.body.toString()).message, /denied the request: no$/);
});
