import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attributes, Authorizer, Decision } from "@orch/auth/authorizer.js";
import { unavailable } from "@orch/status/api-error.js";
import { parseRequestTarget } from "../http/request.js";
import { parsePath } from "../path.js";
import { attributesOf } from "../request-attributes.js";
import { bob, paths, post, start, statusOf } from "../testing/reviews.js";
import { verbOf } from "../verbs.js";

const { access, ownAccess, localAccess, ownRules } = paths;
const named = { spec: { namespace: "n" } };

/** An authorizer that allows creates of reviews and notes what else it is asked, which `decide` answers. */
function noting(decide: () => Decision | Promise<Decision>): Authorizer & { readonly asked: Attributes[] } {
  const asked: Attributes[] = [];
  return {
    asked,
    authorize(attributes) {
      const isReview = attributes.kind === "resource" && attributes.resource.endsWith("reviews");
      if (isReview) return { outcome: "allow", reason: "" };
      asked.push(attributes);
      return decide();
    },
  };
}

const allow: Decision = { outcome: "allow", reason: "by a role" };

// Access reviews.

const resource = { kind: "resource", group: "", resource: "", subresource: "", namespace: "", name: "", verb: "" };

const accessRows: readonly (readonly [target: string, spec: object, asked: object])[] = [
  [
    access,
    { user: "u", groups: ["g"], uid: "1", extra: { e: ["f"] }, resourceAttributes: { verb: "get", resource: "pods" } },
    {
      ...resource,
      version: "*",
      verb: "get",
      resource: "pods",
      user: { name: "u", uid: "1", groups: ["g"], extra: { e: ["f"] } },
    },
  ],
  [
    access,
    { groups: ["g"], nonResourceAttributes: { path: "/healthz", verb: "get" } },
    { kind: "path", path: "/healthz", verb: "get", user: { name: "", uid: "", groups: ["g"], extra: {} } },
  ],
  [ownAccess, { nonResourceAttributes: {} }, { kind: "path", path: "", verb: "", user: bob }],
  [
    ownAccess,
    { resourceAttributes: { verb: "*", group: "*", version: "v2", resource: "*", subresource: "log", name: "x" } },
    { ...resource, verb: "*", group: "*", version: "v2", resource: "*", subresource: "log", name: "x", user: bob },
  ],
  [
    localAccess,
    { user: "u", resourceAttributes: { namespace: "n", verb: "create", resource: "pods" } },
    {
      ...resource,
      version: "*",
      verb: "create",
      resource: "pods",
      namespace: "n",
      user: { name: "u", uid: "", groups: [], extra: {} },
    },
  ],
];
test("the authorizer of requests is asked as a request asks it", async () => {
  for (const [target, spec, wanted] of accessRows) {
    const authorizer = noting(() => allow);
    assert.deepEqual(await statusOf(start({ authorizer }), target, { spec }), { allowed: true, reason: "by a role" });
    assert.deepEqual(authorizer.asked, [wanted]);
  }
});

test("what is asked of a request's attributes is what the request itself is asked", async () => {
  const targets = [
    "GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dx",
    "GET /api/v1/pods?watch=1&labelSelector=a%3Db",
    "DELETE /apis/apps/v1/namespaces/a/deployments?fieldSelector=metadata.name!%3Dx",
    "PATCH /apis/apps/v1/namespaces/a/deployments/d/scale",
    "GET /api/v1/namespaces/a",
    "GET /healthz/ping",
  ];
  for (const line of targets) {
    const [method = "", target = ""] = line.split(" ");
    const { path, query } = parseRequestTarget(target);
    const route = parsePath(path);
    const verb = route.type === "resource" ? verbOf(method, route, query) : method.toLowerCase();
    const request = attributesOf({ route, verb, request: { query } }, bob);
    const { user: _user, kind, ...rest } = request;
    const selectors = Object.entries(rest).flatMap(([name, value]) =>
      name.endsWith("Selector") ? [[name, { rawSelector: value }]] : [],
    );
    const asked = { ...rest, ...Object.fromEntries(selectors) };
    const authorizer = noting(() => allow);
    const spec = kind === "path" ? { nonResourceAttributes: asked } : { resourceAttributes: asked };
    await statusOf(start({ authorizer }), ownAccess, { spec });
    assert.deepEqual(authorizer.asked, [request], line);
  }
});

test("selectors that cannot be told are left out, and that is said", async () => {
  const authorizer = noting(() => allow);
  const fieldSelector = {
    requirements: [
      { key: "a", operator: "In", values: ["b"] },
      { key: "c", operator: "Exists" },
    ],
  };
  const spec = { resourceAttributes: { verb: "list", fieldSelector, labelSelector: { rawSelector: "a in" } } };
  assert.deepEqual(await statusOf(start({ authorizer }), ownAccess, { spec }), {
    allowed: true,
    reason: "by a role",
    evaluationError:
      "spec.resourceAttributes.fieldSelector partially ignored due to parse error; " +
      "spec.resourceAttributes.labelSelector ignored due to parse error",
  });
  const [asked] = authorizer.asked;
  assert.deepEqual(asked, { ...resource, version: "*", verb: "list", fieldSelector: "a=b", user: bob });
});

test("a denial is told from no opinion, and neither is an allowance", async () => {
  const spec = { resourceAttributes: { verb: "get" } };
  const status = (outcome: Decision["outcome"], reason: string) =>
    statusOf(start({ authorizer: noting(() => ({ outcome, reason })) }), ownAccess, { spec });
  assert.deepEqual(await status("deny", "no"), { allowed: false, denied: true, reason: "no" });
  assert.deepEqual(await status("noOpinion", ""), { allowed: false });
});

test("an authorizer that fails allows nothing; a fault is told to the log alone", async () => {
  for (const [thrown, error, faults] of [
    [unavailable("the webhook is away"), "the webhook is away", 0],
    [new TypeError("s3cret"), "an unexpected error occurred; the server's log has it under this request's id", 1],
  ] as const) {
    const authorizer = noting(() => Promise.reject(thrown));
    const gateway = start({ authorizer });
    const spec = { resourceAttributes: { verb: "get", labelSelector: { rawSelector: "!" } } };
    const evaluationError = `${error}; spec.resourceAttributes.labelSelector ignored due to parse error`;
    assert.deepEqual(await statusOf(gateway, ownAccess, { spec }), { allowed: false, evaluationError });
    assert.deepEqual(
      gateway.faults.map((fault) => fault.error),
      faults === 0 ? [] : [thrown],
    );
  }
});

// SelfSubjectRulesReview.

test("rules are told apart, and the question is not repeated", async () => {
  const asked: unknown[] = [];
  const gateway = start({
    reviews: {
      rules: {
        rulesFor: (user, namespace) => {
          asked.push(user, namespace);
          const rules = [
            { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["x"] },
            { verbs: ["get"], nonResourceURLs: ["/healthz"] },
            { verbs: ["*"], apiGroups: ["*"], resources: ["*"], nonResourceURLs: ["*"] },
            { verbs: ["nothing"] },
          ];
          return { rules, incomplete: true, evaluationError: "a role is missing" };
        },
      },
    },
  });
  const { body } = await post(gateway, ownRules, named);
  assert.deepEqual(asked, [bob, "n"]);
  assert.deepEqual([body["spec"], body["metadata"]], [{}, { creationTimestamp: null }]);
  assert.deepEqual(body["status"], {
    resourceRules: [
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["x"] },
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    ],
    nonResourceRules: [
      { verbs: ["get"], nonResourceURLs: ["/healthz"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
    incomplete: true,
    evaluationError: "a role is missing",
  });
});

test("who has no rules gets empty lists", async () => {
  const rules = { rulesFor: () => ({ rules: [], incomplete: false, evaluationError: "" }) };
  const status = await statusOf(start({ reviews: { rules } }), ownRules, named);
  assert.deepEqual(status, { resourceRules: [], nonResourceRules: [], incomplete: false });
});

test("rules that nobody can tell now are incomplete", async () => {
  const rules = { rulesFor: () => Promise.reject(unavailable("not loaded yet")) };
  const status = await statusOf(start({ reviews: { rules } }), ownRules, named);
  const told = { resourceRules: [], nonResourceRules: [], incomplete: true, evaluationError: "not loaded yet" };
  assert.deepEqual(status, told);
});
