import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { type AnyObject, valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { decodeObject, validateUpdate } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const v1 = "apiextensions.k8s.io/v1.CustomResourceDefinition";
const v1beta1 = "apiextensions.k8s.io/v1beta1.CustomResourceDefinition";

const openAPIV3Schema = { type: "object", properties: { spec: { type: "object" }, status: { type: "object" } } };
const schema = { openAPIV3Schema };
const versionOf = (tree: Tree): Tree => ({ name: "v1", served: true, storage: true, schema, ...tree });
const names = { kind: "Thing", plural: "things" };
const named = { metadata: { name: "things.a.example", resourceVersion: "1" } };
const specOf = (spec: Tree): Tree => ({
  ...named,
  spec: { group: "a.example", names, scope: "Cluster", versions: [versionOf({})], ...spec },
});
const withVersion = (tree: Tree): Tree => specOf({ versions: [versionOf(tree)] });
const betaOf = (spec: Tree): Tree => ({ ...named, spec: { group: "a.example", names, version: "v1", ...spec } });
const service = { namespace: "n", name: "s" };
const webhookOf = (clientConfig: Tree, versions: readonly string[] = ["v1"]): Tree =>
  specOf({ conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: versions } } });

const certificate = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUM46jezzpuFHxhbRHc4GId2vpyigwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMjExNTQwMjdaGA8yMTI2MTAyODE1NDAyN1ow
DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAnSuoxUYHed
WwcPuYO7x00Yd+En8Tl+fxeDeiOJFoJoSkQlJgpWhEqeka1WmyxKiO+u6I87mfZP
Ds5OvNxYshSjUzBRMB0GA1UdDgQWBBSEert/MijKZKgS4Q47y0orMIHG/DAfBgNV
HSMEGDAWgBSEert/MijKZKgS4Q47y0orMIHG/DAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCICrO6pdLUvyVYB1qW1rK8oMiuGkcS0t5pS1Dm0qlRKk7
AiEAt/CfTaZ/RmlET3sML7YMeBKZaLG5TqMmubG9GIk3jt0=
-----END CERTIFICATE-----`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const creates: readonly (readonly [string, Tree, readonly Wanted[]])[] = [
  ["good", specOf({}), []],
  [
    "with nothing in place",
    {
      metadata: { name: "w" },
      spec: { group: "g.example", names: { kind: "W", plural: "ws" }, scope: "X", versions: [] },
    },
    [
      'metadata.name: Invalid value: "w": must be spec.names.plural+"."+spec.group',
      'spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"',
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  [
    "without names",
    { metadata: { name: "." }, spec: { versions: [versionOf({})] } },
    [
      /^metadata.name: Invalid value: ".": a lowercase RFC 1123 subdomain must/,
      "spec.group: Required value",
      "spec.scope: Required value",
      "spec.names.plural: Required value",
      "spec.names.singular: Required value",
      "spec.names.kind: Required value",
      "spec.names.listKind: Required value",
    ],
  ],
  [
    "of a group without a dot",
    { ...specOf({ group: "example" }), metadata: { name: "things.example" } },
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  [
    "with names of wrong form",
    specOf({
      names: {
        ...names,
        kind: "A b",
        listKind: "A b",
        singular: "S",
        shortNames: ["ok", "N"],
        categories: ["all", "C"],
      },
    }),
    [
      /^spec.names.singular: Invalid value: "S": a DNS-1035 label must/,
      /^spec.names.kind: Invalid value: "A b": may have mixed case, but should otherwise match: a DNS-1035 label must/,
      /^spec.names.listKind: Invalid value: "A b": may have mixed case/,
      /^spec.names.shortNames\[1\]: Invalid value: "N"/,
      'spec.names.listKind: Invalid value: "A b": kind and listKind may not be the same',
      /^spec.names.categories\[1\]: Invalid value: "C"/,
    ],
  ],
  [
    "of two stored versions of one name",
    specOf({ versions: [versionOf({}), versionOf({})] }),
    [
      /^spec.versions: Invalid value: \[.*\]: must contain unique version names$/,
      /must have exactly one version marked as storage version$/,
      /^status.storedVersions: Invalid value: \["v1"\]: must have the storage version v1$/,
    ],
  ],
  [
    "of a version of wrong form",
    withVersion({ name: "1" }),
    [
      /^spec.versions\[0\].name: Invalid value: "1": a DNS-1035 label must/,
      /^spec.version: Invalid value: "1": a DNS-1035 label must/,
    ],
  ],
  [
    "without schemas",
    specOf({ versions: [versionOf({ schema: undefined }), versionOf({ name: "v2", storage: false, schema: {} })] }),
    [
      "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required",
      "spec.versions[1].schema.openAPIV3Schema: Required value: schemas are required",
    ],
  ],
  [
    "of a schema without structure, which all versions share",
    withVersion({ schema: { openAPIV3Schema: { properties: { a: {} } } } }),
    [
      "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
      "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root",
    ],
  ],
  [
    "of a schema without structure, at one version",
    specOf({ versions: [versionOf({}), versionOf({ name: "v2", storage: false, schema: { openAPIV3Schema: {} } })] }),
    ["spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root"],
  ],
  [
    "of a schema that nothing can be read from",
    withVersion({ schema: { openAPIV3Schema: { ...openAPIV3Schema, $schema: "x" } } }),
    [`spec.validation.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
  ],
  [
    "of a schema that may be null",
    withVersion({ schema: { openAPIV3Schema: { ...openAPIV3Schema, nullable: true } } }),
    ["spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root"],
  ],
  [
    "with a default of another type",
    withVersion({ schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", default: 1 } } } } }),
    [/^spec.validation.openAPIV3Schema.properties\[a\].default: Invalid value: "integer": .*must be of type string/],
  ],
  [
    "with a status of its own and more than its schema says",
    withVersion({
      subresources: { status: {} },
      schema: { openAPIV3Schema: { ...openAPIV3Schema, minProperties: 1 } },
    }),
    [
      /^spec.validation.openAPIV3Schema: Invalid value: \{.*\}: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
    ],
  ],
  [
    "with a status of its own and rules",
    withVersion({
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: { ...openAPIV3Schema, required: ["spec"], "x-kubernetes-validations": [{ rule: "true" }] },
      },
    }),
    [],
  ],
  [
    "that keeps unknown fields everywhere",
    specOf({ preserveUnknownFields: true }),
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ],
  ["that warns", withVersion({ deprecated: true, deprecationWarning: "use v2" }), []],
  [
    "that warns too soon",
    withVersion({ deprecationWarning: "use v2" }),
    ['spec.versions[0].deprecationWarning: Invalid value: "use v2": can only be set for deprecated versions'],
  ],
  [
    "that warns of nothing",
    withVersion({ deprecated: true, deprecationWarning: "" }),
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    "that warns for long, with a bell",
    withVersion({ deprecated: true, deprecationWarning: `é\u0007${"x".repeat(256)}` }),
    [
      /: must be <= 256 characters long$/,
      /: must only contain printable UTF-8 characters; non-printable character found at index 2$/,
    ],
  ],
  [
    "with a good scale",
    withVersion({
      subresources: {
        scale: { specReplicasPath: ".spec.r", statusReplicasPath: ".status.r", labelSelectorPath: ".status.s" },
      },
    }),
    [],
  ],
  [
    "with a scale of nothing",
    withVersion({ subresources: { scale: {} } }),
    [
      "spec.subresources.scale.specReplicasPath: Required value",
      "spec.subresources.scale.statusReplicasPath: Required value",
    ],
  ],
  [
    "with a scale elsewhere",
    withVersion({
      subresources: {
        scale: { specReplicasPath: "spec.r", statusReplicasPath: ".spec.r", labelSelectorPath: ".meta.s" },
      },
    }),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: "spec.r": must be a simple json path starting with .',
      'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.r": should be a json path under .status',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".meta.s": should be a json path under either .spec or .status',
    ],
  ],
  [
    "with a good column",
    withVersion({ additionalPrinterColumns: [{ name: "A", type: "date", format: "date-time", jsonPath: ".a" }] }),
    [],
  ],
  [
    "with columns of wrong form",
    withVersion({ additionalPrinterColumns: [{}, { name: "A", type: "x", format: "y", jsonPath: "a" }] }),
    [
      "spec.additionalPrinterColumns[0].name: Required value",
      "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
      'spec.additionalPrinterColumns[1].type: Invalid value: "x": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[1].format: Invalid value: "y": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[1].JSONPath: Invalid value: "a": must be a simple json path starting with .',
    ],
  ],
  [
    "with selectable fields of wrong form",
    withVersion({
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { a: { type: "string" }, metadata: { type: "object", properties: { name: { type: "string" } } } },
        },
      },
      selectableFields: [{}, { jsonPath: ".a" }, { jsonPath: ".a" }, { jsonPath: ".b" }, { jsonPath: ".metadata" }],
    }),
    [
      "spec.selectableFields[0].jsonPath: Required value",
      'spec.selectableFields[2].jsonPath: Duplicate value: ".a"',
      'spec.selectableFields[3].jsonPath: Invalid value: ".b": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[4].jsonPath: Invalid value: ".metadata": must not point to fields in metadata',
      /^spec.selectableFields\[4\].jsonPath: .*: must point to a field of type string, boolean or integer\. Enum string fields/,
    ],
  ],
  [
    "with nine selectable fields",
    withVersion({
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: Object.fromEntries([..."abcdefghi"].map((n) => [n, { type: "string" }])),
        },
      },
      selectableFields: [..."abcdefghi"].map((n) => ({ jsonPath: `.${n}` })),
    }),
    ["spec.selectableFields: Too many: 9: must have at most 8 items"],
  ],
  ["converted by a service", webhookOf({ service }), []],
  ["converted by a trusted service", webhookOf({ service, caBundle: base64(certificate) }), []],
  [
    "converted by a service that nobody can trust: it is not established",
    webhookOf({ service, caBundle: base64("x") }),
    [],
  ],
  [
    "converted by nobody",
    specOf({ conversion: { strategy: "Webhook" } }),
    [
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
      "spec.conversion.conversionReviewVersions: Required value",
    ],
  ],
  [
    "converted by two, in another version",
    webhookOf({ service, url: "https://a" }, ["v2"]),
    [
      "spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required",
      'spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "converted by somebody in no way",
    specOf({
      conversion: { strategy: "None", webhook: { clientConfig: { service }, conversionReviewVersions: ["v1"] } },
    }),
    [
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ],
  ],
  [
    "converted in an unknown way",
    specOf({ conversion: { strategy: "Magic" } }),
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
];

for (const [what, tree, wanted] of creates) {
  expectErrors(`a definition ${what}`, wanted, () => kit.createErrors(v1, tree));
}

const approvals: readonly (readonly [string, string | undefined, readonly Wanted[]])[] = [
  [
    "api.k8s.io",
    undefined,
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io"',
    ],
  ],
  ["x.kubernetes.io", undefined, [/^metadata.annotations\[api-approved.kubernetes.io\]: Required value/]],
  [
    "api.k8s.io",
    "soon",
    [
      /^metadata.annotations\[api-approved.kubernetes.io\]: Invalid value: "soon": .* with either a URL or a reason starting with "unapproved"$/,
    ],
  ],
  ["api.k8s.io", "unapproved, a test", []],
  ["api.k8s.io", "https://a.example/1", []],
  ["api.notk8s.io", undefined, []],
];

const approvedOf = (group: string, annotation: string | undefined): Tree => ({
  ...specOf({ group }),
  metadata: {
    name: `things.${group}`,
    resourceVersion: "1",
    ...(annotation === undefined ? {} : { annotations: { "api-approved.kubernetes.io": annotation } }),
  },
});

for (const [group, annotation, wanted] of approvals) {
  expectErrors(`a definition of ${group} approved by ${annotation ?? "nobody"}`, wanted, () =>
    kit.createErrors(v1, approvedOf(group, annotation)),
  );
  expectErrors(`a definition of ${group} that stays approved by ${annotation ?? "nobody"}`, [], () =>
    kit.updateErrors(v1, approvedOf(group, annotation), approvedOf(group, annotation)),
  );
}

// Spec 1, Notable changes of apiextensions v1: what v1beta1 had at the top or allowed.
const betas: readonly (readonly [string, Tree, readonly Wanted[]])[] = [
  ["of a name alone", betaOf({}), []],
  ["of a schema without structure", betaOf({ validation: { openAPIV3Schema: { properties: { a: {} } } } }), []],
  [
    "of a schema without structure that is to be pruned",
    betaOf({ preserveUnknownFields: false, validation: { openAPIV3Schema: { properties: { a: {} } } } }),
    [/properties\[a\].type: Required value/, /openAPIV3Schema.type: Required value/],
  ],
  [
    "that is to be pruned by nothing",
    betaOf({ preserveUnknownFields: false }),
    ["spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned"],
  ],
  [
    "of a schema with extensions",
    betaOf({
      validation: {
        openAPIV3Schema: { type: "object", properties: { a: {}, b: { "x-kubernetes-int-or-string": true } } },
      },
    }),
    [/properties\[a\].type: Required value/],
  ],
  [
    "with a default",
    betaOf({
      preserveUnknownFields: false,
      validation: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", default: "x" } } } },
    }),
    [
      "spec.validation.openAPIV3Schema.properties[a].default: Forbidden: must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)",
    ],
  ],
  ["of a protected group", { ...betaOf({ group: "x.k8s.io" }), metadata: { name: "things.x.k8s.io" } }, []],
  [
    "of another version than its first",
    betaOf({ versions: [{ name: "v2", served: true, storage: true }] }),
    ['spec.version: Invalid value: "v1": must match the first version in spec.versions'],
  ],
  [
    "with parts at the top and below",
    betaOf({
      validation: schema,
      subresources: {},
      additionalPrinterColumns: [{ name: "A", type: "string", JSONPath: ".a" }],
      versions: [
        {
          ...versionOf({}),
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: "B", type: "string", JSONPath: ".b" }],
        },
        { name: "v2" },
      ],
    }),
    ["validation|schemas", "subresources|subresources", "additionalPrinterColumns|additionalPrinterColumns"].map(
      (pair) => {
        const [top = "", name = ""] = pair.split("|");
        return `spec.${top}: Forbidden: top-level and per-version ${name} are mutually exclusive`;
      },
    ),
  ],
  [
    "with the same below twice",
    betaOf({ versions: [versionOf({}), versionOf({ name: "v2", storage: false })] }),
    [
      /^spec.versions: Invalid value: \[.*\]: per-version schemas may not all be set to identical values \(top-level validation should be used instead\)$/,
    ],
  ],
  [
    "converted while unknown fields stay",
    betaOf({ conversion: { strategy: "Webhook", webhookClientConfig: { service } } }),
    ['spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true'],
  ],
];

for (const [what, tree, wanted] of betas) {
  expectErrors(`a v1beta1 definition ${what}`, wanted, () => kit.createErrors(v1beta1, tree));
}

test("what v1 leaves out", () => {
  const object = kit.defaulted(v1, webhookOf({ service }));
  assert.deepEqual(valueAt(object, "spec.names"), { ...names, singular: "thing", listKind: "ThingList" });
  assert.equal(valueAt(object, "spec.conversion.webhook.clientConfig.service.port"), 443);
  assert.deepEqual(valueAt(kit.defaulted(v1, specOf({})), "spec.conversion"), { strategy: "None" });
  assert.deepEqual(valueAt(object, "status.storedVersions"), ["v1"]);
  assert.equal(valueAt(kit.defaulted(v1, specOf({ scope: undefined })), "spec.scope"), undefined);
});

test("what v1beta1 leaves out", () => {
  assert.deepEqual(kit.defaulted(v1beta1, betaOf({}))["spec"], {
    group: "a.example",
    names: { ...names, singular: "thing", listKind: "ThingList" },
    scope: "Namespaced",
    version: "v1",
    versions: [{ name: "v1", served: true, storage: true }],
    conversion: { strategy: "None" },
    preserveUnknownFields: true,
  });
  const conversion = { strategy: "Webhook", webhookClientConfig: { service } };
  const object = kit.defaulted(v1beta1, { spec: { versions: [{ name: "v3" }], conversion } });
  assert.equal(valueAt(object, "spec.version"), "v3");
  assert.deepEqual(valueAt(object, "spec.conversion"), {
    strategy: "Webhook",
    webhookClientConfig: { service: { ...service, port: 443 } },
    conversionReviewVersions: ["v1beta1"],
  });
});

const column = { name: "A", type: "string" };
const first = versionOf({ subresources: { status: {} }, additionalPrinterColumns: [{ ...column, jsonPath: ".a" }] });
const second = { ...first, name: "v2", storage: false };
const webhook = { clientConfig: { service }, conversionReviewVersions: ["v1"] };

test("what all versions of v1 share stands at the top of what is stored", () => {
  const tree = specOf({ versions: [first, second], conversion: { strategy: "Webhook", webhook } });
  const { hub, back } = kit.roundTrip(v1, tree);
  assert.deepEqual(hub["spec"], {
    group: "a.example",
    names,
    scope: "Cluster",
    preserveUnknownFields: false,
    version: "v1",
    validation: schema,
    subresources: { status: {} },
    additionalPrinterColumns: [{ ...column, JSONPath: ".a" }],
    versions: [
      { name: "v1", served: true, storage: true },
      { name: "v2", served: true, storage: false },
    ],
    conversion: { strategy: "Webhook", webhookClientConfig: { service }, conversionReviewVersions: ["v1"] },
  });
  assert.deepEqual(back["spec"], tree["spec"]);
});

test("what versions of v1 say each for itself stays at each", () => {
  const other = { ...second, subresources: undefined, additionalPrinterColumns: [{ ...column, jsonPath: ".b" }] };
  const tree = specOf({ versions: [first, other] });
  const { hub, back } = kit.roundTrip(v1, tree);
  assert.deepEqual(valueAt(hub, "spec.validation"), schema);
  assert.equal(valueAt(hub, "spec.subresources"), undefined);
  assert.deepEqual(valueAt(hub, "spec.versions"), [
    {
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {} },
      additionalPrinterColumns: [{ ...column, JSONPath: ".a" }],
    },
    { name: "v2", served: true, storage: false, additionalPrinterColumns: [{ ...column, JSONPath: ".b" }] },
  ]);
  assert.deepEqual(back, kit.roundTrip(v1, specOf({ versions: [first, { ...other, subresources: undefined }] })).back);
  assert.deepEqual(
    (valueAt(back, "spec.versions") as Tree[]).map((v) => v["schema"]),
    [schema, schema],
  );
});

test("a v1beta1 definition of one version is one of v1 too", () => {
  const object = kit.created(
    v1beta1,
    betaOf({ validation: schema, additionalPrinterColumns: [{ ...column, JSONPath: ".a" }] }),
  );
  const { back } = kit.roundTrip(v1, {});
  assert.equal(back["spec"], undefined);
  const seen = kit.kind(v1).conversion?.fromHub(object);
  assert.deepEqual(valueAt(seen ?? {}, "spec.versions"), [
    { name: "v1", served: true, storage: true, schema, additionalPrinterColumns: [{ ...column, jsonPath: ".a" }] },
  ]);
  assert.equal(valueAt(seen ?? {}, "spec.preserveUnknownFields"), true);
});

test("the storage version is among the stored versions, and those before it stay", () => {
  const old = kit.created(v1, { ...specOf({}), status: { storedVersions: ["v0"] } });
  assert.deepEqual(old["status"], { storedVersions: ["v1"] });
  const both = [versionOf({ storage: false }), versionOf({ name: "v2" })];
  const next = kit.updated(v1, { ...specOf({ versions: both }), status: { storedVersions: ["v2"] } }, old);
  assert.deepEqual(next["status"], { storedVersions: ["v1", "v2"] });
  assert.equal(next.metadata.generation, 2);
});

test("a status write takes the status alone", () => {
  const status = {
    acceptedNames: names,
    storedVersions: ["v1"],
    conditions: [{ type: "Established", status: "True" }],
  };
  const tree = {
    ...specOf({ scope: "Namespaced" }),
    metadata: { name: "things.a.example", labels: { a: "b" } },
    status,
  };
  const next = kit.part(v1, "status", { tree, before: specOf({}) });
  assert.deepEqual(next["status"], status);
  assert.equal(valueAt(next, "spec.scope"), "Cluster");
  assert.equal(next.metadata.labels, undefined);
});

expectErrors("a status of names of wrong form", [/^status.acceptedNames.plural: Invalid value: "P": a DNS-1035/], () =>
  kit.partErrors(v1, "status", {
    tree: { ...specOf({}), status: { acceptedNames: { plural: "P", kind: "K" }, storedVersions: ["v1"] } },
    before: specOf({}),
  }),
);

const updates: readonly (readonly [string, Tree, Tree, readonly Wanted[]])[] = [
  ["to another scope before it is served", specOf({ scope: "Namespaced" }), specOf({}), []],
  ["to another kind before it is served", specOf({ names: { ...names, kind: "Other" } }), specOf({}), []],
  [
    "to another group and plural",
    specOf({ group: "b.example", names: { ...names, plural: "others" } }),
    specOf({}),
    [
      'spec.group: Invalid value: "b.example": field is immutable',
      'spec.names.plural: Invalid value: "others": field is immutable',
    ],
  ],
  [
    "without a version that objects are stored in",
    withVersion({ name: "v2" }),
    specOf({}),
    ['status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions'],
  ],
  [
    "of a schema that becomes unstructured",
    withVersion({ schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } } }),
    specOf({}),
    [/properties\[a\].type: Required value/],
  ],
];

for (const [what, tree, before, wanted] of updates) {
  expectErrors(`an update ${what}`, wanted, () => kit.updateErrors(v1, tree, before));
}

/** Errors of an update of what is stored, whatever made it. */
function updateOf(kind: string, tree: Tree, old: AnyObject): readonly string[] {
  return validateUpdate(kit.kind(kind), kit.updated(kind, tree, old), old).map((e) => `${e.field}: ${e.message}`);
}

const established = { conditions: [{ type: "Established", status: "True" }], storedVersions: ["v1"] };
const servedOf = (tree: Tree): AnyObject => ({ ...kit.created(v1, tree), status: established });

expectErrors(
  "an update to another scope and kind of what is served",
  [
    'spec.scope: Invalid value: "Namespaced": field is immutable',
    'spec.names.kind: Invalid value: "Other": field is immutable',
  ],
  () => updateOf(v1, specOf({ scope: "Namespaced", names: { ...names, kind: "Other" } }), servedOf(specOf({}))),
);

const untrusted = webhookOf({ service, caBundle: base64("x") });

expectErrors("an update that brings a certificate that cannot be read", [/caBundle: Invalid value/], () =>
  updateOf(v1, untrusted, servedOf(webhookOf({ service, caBundle: base64(certificate) }))),
);
expectErrors("an update that leaves such a certificate", [], () => updateOf(v1, untrusted, servedOf(untrusted)));

const loose = {
  properties: {
    a: { type: "map" },
    b: { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } },
    c: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", properties: { k: { type: "string" } } },
    },
  },
};

test("a v1 client may write back what v1beta1 or an older server stored, and not make it worse", () => {
  const stored = { ...kit.created(v1beta1, betaOf({ validation: { openAPIV3Schema: loose } })), status: established };
  const seen = kit.kind(v1).conversion?.fromHub(stored);
  const again: Tree = { ...seen, ...named };
  const tree = decodeObject(kit.kind(v1), { ...again, kind: undefined, apiVersion: undefined }).object;
  // Extensions ask for structure whoever writes them; what was there before may stay without.
  const errors = updateOf(v1, tree, stored);
  assert.deepEqual(
    errors.filter((e) => !/must not be empty/.test(e)),
    [],
  );
  assert.ok(updateOf(v1, tree, servedOf(specOf({}))).length > errors.length);
  const bare = { ...kit.created(v1beta1, betaOf({})), status: established };
  const back: Tree = { ...kit.kind(v1).conversion?.fromHub(bare), ...named };
  assert.deepEqual(updateOf(v1, decodeObject(kit.kind(v1), back).object, bare), []);
});
