import assert from "node:assert/strict";
import { test } from "node:test";
import { type CatalogOptions, type Kind, loadCatalog } from "@orch/api/catalog.js";
import type { Verdict } from "@orch/auth/authenticator.js";
import { alwaysAllow, alwaysDeny } from "@orch/auth/fixed-authorizers.js";
import { parseYaml, printYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming, dialects, type Naming } from "@orch/naming/naming.js";
import { framings } from "@orch/render/framing.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";
import { type TestGateway, testGateway } from "../testing/gateway.js";
import { paths, post, start } from "../testing/reviews.js";

const { tokens, self, access, ownAccess, localAccess, ownRules } = paths;

// Kinds, versions, encodings.

const specs: Readonly<Record<string, JsonObject>> = {
  TokenReview: { token: "t" },
  SubjectAccessReview: { user: "u", nonResourceAttributes: { path: "/", verb: "get" } },
  LocalSubjectAccessReview: { user: "u", resourceAttributes: { namespace: "n", verb: "get", resource: "pods" } },
  SelfSubjectAccessReview: { resourceAttributes: { verb: "list", resource: "pods" } },
  SelfSubjectRulesReview: { namespace: "n" },
};
const encodings = ["json", "yaml", "cbor", "protobuf"] as const;

for (const dialect of dialects) {
  for (const release of ["1.21", "1.28", "1.32"]) {
    test(`reviews of release ${release} in every encoding in ${dialect}`, async () => {
      const words = createNaming(dialect);
      const runtimeConfig = ["api/all=true"];
      const gateway = testGateway({ naming: words, release, runtimeConfig });
      const kinds = reviewKinds(words, { release, runtimeConfig });
      assert.ok(kinds.length >= 6, `${kinds.length} kinds`);
      for (const kind of kinds)
        for (const sent of encodings)
          for (const wanted of encodings) {
            const { tree, code } = await askIn(gateway, { kind, sent, wanted, protobuf: words.protobufMediaType });
            const what = `${kind.apiVersion} ${kind.kind} as ${sent} for ${wanted}: ${jsonText(tree)}`;
            assert.deepEqual([code, tree["kind"], tree["apiVersion"]], [201, kind.kind, kind.apiVersion], what);
            if (kind.kind !== "SelfSubjectRulesReview") assert.deepEqual(tree["spec"], specs[kind.kind], what);
            assert.ok(jsonText(tree["status"]).length > 2, what);
          }
      assert.deepEqual([gateway.forms, gateway.faults], [[], []]);
    });
  }
}

function reviewKinds(words: Naming, options: CatalogOptions): readonly Kind[] {
  const catalog = loadCatalog(words, options);
  return catalog
    .groups()
    .filter(({ name }) => [words.group("authentication"), words.group("authorization")].includes(name))
    .flatMap(({ name, versions }) => versions.flatMap((version) => catalog.kindsOf(name, version)))
    .filter(({ verbs }) => verbs.length > 0);
}

interface Sending {
  readonly kind: Kind;
  readonly sent: (typeof encodings)[number];
  readonly wanted: (typeof encodings)[number];
  readonly protobuf: string;
}

async function askIn(gateway: TestGateway, { kind, sent, wanted, protobuf }: Sending) {
  const typeOf = (encoding: string): string => (encoding === "protobuf" ? protobuf : `application/${encoding}`);
  const spec = specs[kind.kind];
  const tree = { metadata: {}, ...(spec === undefined ? {} : { spec }) };
  const head = { kind: kind.kind, apiVersion: kind.apiVersion };
  const body =
    sent === "yaml"
      ? Buffer.from(printYaml({ ...head, ...tree }))
      : framings[sent].document(
          head,
          framings[sent].piece(() => kind.type, tree),
        );
  const answer = await gateway.ask({
    method: "POST",
    target: `/apis/${kind.apiVersion}/${kind.namespaced ? "namespaces/n/" : ""}${kind.plural}`,
    headers: { "content-type": typeOf(sent), accept: typeOf(wanted) },
    body,
  });
  assert.deepEqual(answer.header("content-type"), [typeOf(wanted)]);
  if (wanted !== "yaml") return { code: answer.code, tree: gateway.reader.body(wanted, answer.body) };
  const read = parseYaml(answer.body);
  assert.ok(read.ok && isObject(read.value));
  return { code: answer.code, tree: read.value };
}

test("a review is metadata, too, but no table and no list", async () => {
  const rows: readonly (readonly [as: string, code: number, kind: string])[] = [
    ["Table", 406, "Status"],
    ["PartialObjectMetadata", 201, "PartialObjectMetadata"],
    ["PartialObjectMetadataList", 406, "Status"],
  ];
  for (const [as, code, kind] of rows) {
    const gateway = start();
    const answer = await gateway.ask({
      method: "POST",
      target: self,
      headers: { "content-type": "application/json", accept: `application/json;as=${as};g=meta.k8s.io;v=v1` },
      body: "{}",
    });
    assert.deepEqual([answer.code, gateway.reader.body("json", answer.body)["kind"]], [code, kind]);
  }
});

// Bodies and options.

const named = { spec: { namespace: "n" } };
const other = { kind: "Pod", apiVersion: "v1" };

const refusals: readonly (readonly [what: string, target: string, body: object | string, code: number, why: RegExp])[] =
  [
    ["that is cut off", tokens, '{"spec":', 400, /unrecognized \(must be of type TokenReview\)/],
    ["that is empty", tokens, "", 400, /unrecognized/],
    ["that is no object", tokens, "[]", 400, /unrecognized/],
    ["of another kind", tokens, other, 400, /^Pod in version "v1" cannot be handled as a TokenReview$/],
    ["of another version", tokens, { apiVersion: "authentication.k8s.io/v2" }, 400, /^the API version in the data/],
    ["with a wrong type", access, { spec: { groups: "a" } }, 400, /cannot be handled as a SubjectAccessReview/],
    ["without a token", tokens, {}, 400, /^token is required for TokenReview in authentication$/],
    ["without a namespace", ownRules, {}, 400, /^no namespace on request$/],
    [
      "of nothing",
      ownAccess,
      {},
      422,
      /^\.authorization\.k8s\.io "" is invalid: spec\.resourceAttributes: Invalid value/,
    ],
    [
      "with a name",
      ownAccess,
      { metadata: { name: "x" }, spec: specs["SelfSubjectAccessReview"] },
      422,
      /must be empty/,
    ],
    [
      "of another namespace than its path",
      localAccess,
      { spec: { user: "u", resourceAttributes: { namespace: "m" } } },
      422,
      /spec.resourceAttributes.namespace: Invalid value: "m": must match metadata.namespace/,
    ],
    [
      "in another namespace than its path",
      localAccess,
      { metadata: { namespace: "m" }, spec: { user: "u", resourceAttributes: { namespace: "m" } } },
      400,
      /^the namespace of the provided object does not match the namespace sent on the request$/,
    ],
    ["whose path has no namespace", localAccess.replace("namespaces/n/", ""), {}, 405, /does not allow this method/],
    ["whose path has one too many", ownRules.replace("self", "namespaces/n/self"), named, 404, /could not find/],
    ["with a wrong dryRun", `${ownRules}?dryRun=Some`, named, 422, /^CreateOptions.meta.k8s.io "" is invalid: dryRun/],
    ["with a wrong fieldValidation", `${ownRules}?fieldValidation=X`, named, 422, /fieldValidation: Unsupported value/],
    ["with a long manager", `${ownRules}?fieldManager=${"x".repeat(129)}`, named, 422, /fieldManager: Too long/],
    ["with an unknown field", `${ownRules}?fieldValidation=Strict`, { ...named, a: 1 }, 400, /unknown field "a"/],
  ];
for (const [what, target, body, code, why] of refusals) {
  test(`a review ${what} is refused`, async () => {
    const gateway = start();
    const reply = await post(gateway, target, body);
    assert.deepEqual([reply.code, reply.body["kind"]], [code, "Status"]);
    assert.match(String(reply.body["message"]), why);
    assert.deepEqual([gateway.forms, gateway.faults], [[], []]);
  });
}

test("a body of a type that nobody reads is refused", async () => {
  const gateway = start();
  const headers = { "content-type": "text/plain" };
  assert.equal((await gateway.ask({ method: "POST", target: self, headers, body: "{}" })).code, 415);
});

// As the reference answered.
test("an invalid SubjectAccessReview is told without a kind", async () => {
  const { body } = await post(start(), access, { spec: {} });
  const causes = [
    [
      "spec.resourceAttributes",
      "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ],
    ["spec.user", 'Invalid value: "": at least one of user or group must be specified'],
  ].map(([field, message]) => ({ reason: "FieldValueInvalid", message, field }));
  assert.deepEqual(body["details"], { group: "authorization.k8s.io", causes });
});

test("warnings of a body go with the answer, with a refusal and beside that of an old version", async () => {
  const unknown = '299 - "unknown field \\"a\\""';
  const gateway = start();
  assert.deepEqual((await post(gateway, ownRules, { ...named, a: 1 })).warnings, [unknown]);
  assert.deepEqual((await post(gateway, ownRules, { a: 1 })).warnings, [unknown]);
  assert.deepEqual((await post(gateway, `${ownRules}?fieldValidation=Ignore`, { a: 1 })).warnings, []);
  const old = start({ release: "1.21" });
  const { code, warnings } = await post(old, ownRules.replace("v1/", "v1beta1/"), { a: 1 });
  assert.equal(code, 400);
  assert.match(warnings[0] ?? "", /v1beta1 SelfSubjectRulesReview is deprecated in v1.19\+/);
  assert.deepEqual(warnings.slice(1), [unknown]);
});

test("a dry run is answered like any other: nothing is stored", async () => {
  const query = "?dryRun=All&fieldManager=m&pretty=false";
  assert.equal((await post(start(), ownRules + query, named)).code, 201);
});

test("what only the server says is left out of a question, and a namespace where there is none", async () => {
  const metadata = { uid: "u", creationTimestamp: "2020-01-01T00:00:00Z", namespace: "x" };
  const spec = { resourceAttributes: { verb: "get" } };
  const { code, body } = await post(start(), ownAccess, { metadata, spec });
  assert.deepEqual([code, body["metadata"]], [201, { creationTimestamp: null }]);
});

test("who may not create a review learns nothing by it", async () => {
  const authenticateToken = (): Verdict => assert.fail("asked");
  const gateway = start({ authorizer: alwaysDeny, reviews: { tokens: { authenticateToken } } });
  const { code, body } = await post(gateway, tokens, { spec: { token: "t" } });
  assert.deepEqual([code, body["reason"], gateway.faults], [403, "Forbidden", []]);
});

// Whatever comes.

test("no body makes a fault of a review", async () => {
  const gateway = start({ reviews: { rules: alwaysAllow } });
  const text = fc.oneof(fc.string(), fc.constantFrom("a=b", "!a", "a in (b,", "\\", "__proto__", "metadata.name=x"));
  const rarely = <T>(usual: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: usual, weight: 30 }, { arbitrary: fc.anything(), weight: 1 });
  const strings = rarely(fc.array(text, { maxLength: 3 }));
  const selector = fc.record(
    {
      rawSelector: text,
      requirements: fc.array(
        fc.record({ key: text, operator: fc.constantFrom("In", "NotIn", "Exists", "X"), values: strings }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  );
  const attributes = fc.record(
    { verb: text, namespace: text, resource: text, fieldSelector: selector, labelSelector: selector },
    { requiredKeys: [] },
  );
  const spec = fc.record(
    {
      token: text,
      audiences: strings,
      user: text,
      groups: strings,
      extra: fc.dictionary(text, strings),
      namespace: text,
      resourceAttributes: attributes,
      nonResourceAttributes: fc.record({ path: text, verb: text }),
    },
    { requiredKeys: [] },
  );
  const body = fc.record({ spec, status: rarely(fc.constant({})), metadata: rarely(fc.constant({})) });
  const target = fc.constantFrom(tokens, self, access, ownAccess, localAccess, ownRules);
  const codes = new Set<number>();
  await fc.assert(
    fc.asyncProperty(target, body, async (path, tree) => {
      const sent = jsonText(tree);
      const { code } = await post(gateway, path, sent);
      codes.add(code);
    }),
    { numRuns: 300 },
  );
  assert.deepEqual([[...codes].sort(), gateway.faults], [[201, 400, 422], []]);
});

test("a question that is longer than anybody needs is refused", async () => {
  const gateway = start();
  const asks = (labelSelector: object): object => ({ spec: { resourceAttributes: { verb: "list", labelSelector } } });
  const one = { key: "a", operator: "In", values: ["b"] };
  for (const [code, selector] of [
    [422, { rawSelector: `a in (${"b,".repeat(40_000)}b)` }],
    [422, { requirements: Array.from({ length: 257 }, () => one) }],
    [422, { requirements: [{ ...one, values: Array.from({ length: 10_001 }, () => "b") }] }],
    [201, { requirements: Array.from({ length: 256 }, () => one) }],
  ] as const) {
    assert.equal((await post(gateway, ownAccess, asks(selector))).code, code);
  }
});
