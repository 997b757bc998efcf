import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { loadCatalog } from "../../catalog.js";
import { valueAt } from "../../object.js";
import {
  authorityCertificate,
  leafCertificate,
  mailRequest,
  nodeRequest,
  plainRequest,
  servingRequest,
} from "../../testing/certificates.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { testCreates, testParts, testUpdates, testValues } from "../../testing/kind-rows.js";
import { prepareForPart } from "../../writes.js";
import { derValues } from "./der.js";
import { pemBlocks } from "./pem.js";
import { parseSigningRequest } from "./signing-request.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes")));
const V1 = "certificates.k8s.io/v1.CertificateSigningRequest";
const Beta = "certificates.k8s.io/v1beta1.CertificateSigningRequest";
const Bundle = "certificates.k8s.io/v1alpha1.ClusterTrustBundle";
const legacy = "kubernetes.io/legacy-unknown";
const encoded = (text: string) => Buffer.from(text).toString("base64");

const requestOf = (spec: Tree, status?: Tree) => ({
  spec: { request: encoded(plainRequest), signerName: "example.com/s", usages: ["client auth"], ...spec },
  ...(status === undefined ? {} : { status }),
});
const conditionsOf = (...conditions: readonly Tree[]) => requestOf({}, { conditions });
const certificateOf = (text: string) => requestOf({}, { certificate: encoded(text) });
const bundleOf = (trustBundle: string, more: Tree = {}) => ({ spec: { trustBundle }, ...more });
const approved = { type: "Approved", status: "True" };
const denied = { type: "Denied", status: "True" };
const withHeaders = authorityCertificate.replace("CERTIFICATE-----\n", "CERTIFICATE-----\na: b\n\n");

testCreates(kit, [
  [V1, "good", requestOf({ expirationSeconds: 600 }), []],
  [V1, "of any name", { metadata: { name: "A b" }, ...requestOf({}) }, []],
  [
    V1,
    "that says nothing",
    {},
    [
      'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
      "spec.usages: Required value",
      "spec.signerName: Required value",
    ],
  ],
  [
    V1,
    "that sends a certificate",
    requestOf({ request: encoded(authorityCertificate) }),
    [/^spec.request: Invalid value: .*: PEM block type must be CERTIFICATE REQUEST$/],
  ],
  [
    V1,
    "that sends something else under the name of a request",
    requestOf({ request: encoded("-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n") }),
    [/^spec.request: Invalid value: .*: asn1: structure error: not a certification request$/],
  ],
  [
    V1,
    "with an unknown usage and one twice",
    requestOf({ usages: ["client auth", "fun", "client auth"] }),
    [
      /^spec.usages\[1\]: Unsupported value: "fun": supported values: "any", "cert sign"/,
      'spec.usages[2]: Duplicate value: "client auth"',
    ],
  ],
  [Beta, "with an unknown usage and one twice", requestOf({ usages: ["client auth", "fun", "client auth"] }), []],
  [
    V1,
    "for nobody known",
    requestOf({ signerName: legacy }),
    [`spec.signerName: Invalid value: "${legacy}": the legacy signerName is not allowed via this API version`],
  ],
  [Beta, "for nobody known", requestOf({ signerName: legacy }), []],
  [
    V1,
    "for a signer without a domain",
    requestOf({ signerName: "s" }),
    [
      /^spec.signerName: Invalid value: "s": must be a fully qualified domain and path of the form 'example.com\/signer-name'$/,
    ],
  ],
  [
    V1,
    "for a signer of a short domain",
    requestOf({ signerName: "example/s" }),
    ['spec.signerName: Invalid value: "example": should be a domain with at least two segments separated by dots'],
  ],
  [
    V1,
    "for a signer named wrongly",
    requestOf({ signerName: "Example.com/s_" }),
    [
      /^spec.signerName: Invalid value: "Example.com": validating label "Example": a lowercase RFC 1123 label/,
      /^spec.signerName: Invalid value: "s_": validating label "s_": a lowercase RFC 1123 subdomain/,
    ],
  ],
  [
    V1,
    "for ten minutes less a second",
    requestOf({ expirationSeconds: 599 }),
    ["spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"],
  ],
  [Bundle, "good", bundleOf(`before\n${authorityCertificate}after`), []],
  [
    Bundle,
    "of nothing",
    bundleOf(""),
    ['spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided'],
  ],
  [
    Bundle,
    "of all that does not belong there",
    bundleOf(
      `${plainRequest}${withHeaders}${leafCertificate}-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n`,
    ),
    [
      'spec.trustBundle: Invalid value: "<value omitted>": entry 0 has bad block type: CERTIFICATE REQUEST',
      'spec.trustBundle: Invalid value: "<value omitted>": entry 1 has PEM block headers',
      'spec.trustBundle: Invalid value: "<value omitted>": entry 2 does not have the CA bit set',
      'spec.trustBundle: Invalid value: "<value omitted>": entry 3 does not parse as X.509',
    ],
  ],
  [
    Bundle,
    "with one twice",
    bundleOf(authorityCertificate + authorityCertificate),
    ['spec.trustBundle: Invalid value: "<value omitted>": duplicate trust anchor (indices [0 1])'],
  ],
  [
    Bundle,
    "too long",
    bundleOf("x".repeat(1_048_577)),
    ["spec.trustBundle: Too long: may not be more than 1048576 bytes"],
  ],
  [
    Bundle,
    "of nobody, named as of somebody",
    bundleOf(authorityCertificate, { metadata: { name: "a:b" } }),
    ['metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name'],
  ],
  [
    Bundle,
    "of a signer",
    { metadata: { name: "a.b:s:x" }, spec: { signerName: "a.b/s", trustBundle: authorityCertificate } },
    [],
  ],
  [
    Bundle,
    "of a signer, named as of nobody",
    { spec: { signerName: "a.b/s", trustBundle: authorityCertificate } },
    ['metadata.name: Invalid value: "x": ClusterTrustBundle for signerName a.b/s must be named with prefix a.b:s:'],
  ],
]);

testUpdates(kit, [
  [V1, "that asks for something else", { spec: { request: "", signerName: "other" } }, requestOf({}), []],
  [
    Bundle,
    "of another signer",
    {
      metadata: { name: "a.b:s:x", resourceVersion: "1" },
      spec: { signerName: "a.b/s", trustBundle: authorityCertificate },
    },
    { metadata: { name: "a.b:s:x" }, spec: { trustBundle: authorityCertificate } },
    ['spec.signerName: Invalid value: "a.b/s": field is immutable'],
  ],
]);

testValues(kit, [
  [
    V1,
    "is of who asks",
    requestOf({ username: "bob", uid: "u2", groups: ["masters"], extra: { a: ["b"] } }),
    "spec",
    { ...requestOf({}).spec, username: "ann", uid: "u1", groups: ["devs"] },
  ],
  [V1, "is not approved", conditionsOf(approved), "status", undefined],
  [Beta, "is for servers", requestOf({ usages: undefined }), "spec.usages", ["digital signature", "key encipherment"]],
]);

const signers: readonly (readonly [string, string, readonly string[], string])[] = [
  ["a node's", nodeRequest, ["digital signature", "client auth"], "kubernetes.io/kube-apiserver-client-kubelet"],
  [
    "a node's with keys that encipher",
    nodeRequest,
    ["key encipherment", "digital signature", "client auth"],
    "kubernetes.io/kube-apiserver-client-kubelet",
  ],
  ["a node's with more usages", nodeRequest, ["digital signature", "client auth", "server auth"], legacy],
  ["a serving node's", servingRequest, ["digital signature", "server auth"], "kubernetes.io/kubelet-serving"],
  ["a serving node's for clients", servingRequest, ["digital signature", "client auth"], legacy],
  ["a node's with mail", mailRequest, ["digital signature", "client auth"], legacy],
  ["anybody's", plainRequest, ["digital signature", "client auth"], legacy],
  ["nobody's", "", ["digital signature", "client auth"], legacy],
];
for (const [whose, request, usages, signer] of signers) {
  test(`${whose} request of v1beta1 goes to ${signer}`, () => {
    const stored = kit.created(Beta, { spec: { request: encoded(request), usages } });
    assert.equal(valueAt(stored, "spec.signerName"), signer);
  });
}

testParts(kit, [
  [`${V1}/approval`, "that is approved", conditionsOf(approved), requestOf({}), []],
  [
    `${V1}/approval`,
    "that is approved and denied",
    conditionsOf(approved, denied),
    requestOf({}),
    ['status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'],
  ],
  [
    `${V1}/approval`,
    "that is half approved",
    conditionsOf({ type: "Approved", status: "False" }, { type: "Other" }, { type: "Third", status: "Maybe" }),
    requestOf({}),
    [
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
      "status.conditions[1].status: Required value",
      'status.conditions[2].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    ],
  ],
  [
    `${V1}/approval`,
    "with a condition twice and one of no type",
    conditionsOf(approved, approved, { status: "True" }),
    requestOf({}),
    ["status.conditions[2].type: Required value", 'status.conditions[1].type: Duplicate value: "Approved"'],
  ],
  [
    `${Beta}/approval`,
    "with a condition twice and no status",
    conditionsOf({ type: "Approved" }, approved),
    requestOf({}),
    [],
  ],
  [
    `${V1}/status`,
    "that approves",
    conditionsOf(approved),
    requestOf({}),
    ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  ],
  [`${V1}/status`, "that failed", conditionsOf({ type: "Failed", status: "True" }), requestOf({}), []],
  [`${V1}/status`, "with a certificate", certificateOf(`${leafCertificate}${authorityCertificate}`), requestOf({}), []],
  [
    `${V1}/status`,
    "with a request for a certificate",
    certificateOf(plainRequest),
    requestOf({}),
    [
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    ],
  ],
  [
    `${V1}/status`,
    "with headers at its certificate",
    certificateOf(withHeaders),
    requestOf({}),
    ['status.certificate: Invalid value: "<certificate data>": no PEM block headers are permitted'],
  ],
  [
    `${V1}/status`,
    "with words for a certificate",
    certificateOf("words"),
    requestOf({}),
    ['status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'],
  ],
  [`${Beta}/status`, "with words for a certificate", certificateOf("words"), requestOf({}), []],
]);

/** What stands stored after an approval, then written through a part. */
function afterApproval(part: string, tree: Tree) {
  const old = prepareForPart(
    kit.kind(V1),
    { name: "approval", object: kit.defaulted(V1, conditionsOf(approved)), old: kit.created(V1, requestOf({})) },
    { user: { name: "", uid: "", groups: [], extra: {} }, now: "2026-01-01T00:00:00Z" },
  );
  const context = { user: { name: "", uid: "", groups: [], extra: {} }, now: "2026-01-02T00:00:00Z" };
  const object = prepareForPart(kit.kind(V1), { name: part, object: kit.defaulted(V1, tree), old }, context);
  const errors = kit.kind(V1).behavior.parts?.[part]?.validate?.(object, old) ?? [];
  return { object, errors: errors.map((e) => `${e.field}: ${e.message}`) };
}

const first = "2026-01-01T00:00:00Z";
const second = "2026-01-02T00:00:00Z";

test("a signer changes the certificate and its own conditions, and no decision", () => {
  const { object, errors } = afterApproval("status", {
    ...requestOf({ signerName: "other.com/s" }),
    status: {
      certificate: encoded(leafCertificate),
      conditions: [
        { ...approved, message: "mine" },
        { type: "Seen", status: "True" },
      ],
    },
  });
  assert.deepEqual(errors, []);
  assert.equal(valueAt(object, "spec.signerName"), "example.com/s");
  assert.deepEqual(object["status"], {
    certificate: encoded(leafCertificate),
    conditions: [
      { ...approved, lastUpdateTime: first, lastTransitionTime: first },
      { type: "Seen", status: "True", lastUpdateTime: second, lastTransitionTime: second },
    ],
  });
});

test("an approver changes conditions alone, and their times follow", () => {
  const tree = requestOf(
    {},
    { certificate: encoded(leafCertificate), conditions: [{ ...approved, message: "again" }] },
  );
  const { object, errors } = afterApproval("approval", tree);
  assert.deepEqual(errors, []);
  assert.deepEqual(object["status"], {
    conditions: [{ ...approved, message: "again", lastUpdateTime: second, lastTransitionTime: first }],
  });
});

test("a decision is not taken back", () => {
  const expected = ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'];
  for (const part of ["status", "approval"]) {
    assert.deepEqual(afterApproval(part, conditionsOf({ type: "Seen", status: "True" })).errors, expected);
  }
});

test("a certificate that was issued stays", () => {
  const kind = kit.kind(V1);
  const stored = kit.part(V1, "status", { tree: certificateOf(leafCertificate), before: requestOf({}) });
  const validate = kind.behavior.parts?.["status"]?.validate;
  const other = { ...stored, status: { certificate: encoded(authorityCertificate) } };
  assert.deepEqual(validate?.(stored, stored), []);
  assert.deepEqual(
    validate?.(other, stored).map((e) => `${e.field}: ${e.message}`),
    ["status.certificate: Forbidden: updates may not modify existing certificate content"],
  );
});

test("what v1beta1 stored may be updated in v1", () => {
  const before = kit.created(Beta, requestOf({ signerName: legacy, usages: ["fun", "fun"] }));
  const errors = kit.kind(V1).behavior.validateRequest?.(before, before);
  assert.deepEqual(errors, []);
});

test("a request tells its subject and names", () => {
  assert.deepEqual(parseSigningRequest(servingRequest), {
    commonName: "system:node:n1",
    organizations: ["system:nodes"],
    dnsNames: ["n1"],
    emails: [],
    uris: [],
    addresses: 1,
  });
});

test("a request that was cut or changed is never a fault", () => {
  const [block] = pemBlocks(servingRequest);
  assert.ok(block);
  fc.assert(
    fc.property(fc.nat(block.bytes.length - 1), fc.nat(255), fc.boolean(), (at, byte, cut) => {
      const bytes = Buffer.from(block.bytes);
      bytes[at] = byte;
      const text = (cut ? bytes.subarray(0, at) : bytes).toString("base64");
      const parsed = parseSigningRequest(
        `-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----\n`,
      );
      assert.ok(typeof parsed === "object" || typeof parsed === "string");
      assert.ok(!cut || typeof parsed === "string");
    }),
  );
});

test("DER lengths beyond the bytes are refused", () => {
  for (const hex of ["30", "3005", "3080", "308501", "30850100000000", "3084ffffffff"]) {
    assert.equal(derValues(Buffer.from(hex, "hex")), undefined, hex);
  }
});

test("blocks are found in one pass, whatever stands between", () => {
  const open = "-----BEGIN CERTIFICATE-----\n";
  assert.deepEqual(pemBlocks(open.repeat(20_000)), []);
  assert.equal(pemBlocks(`${open}${authorityCertificate}`).length, 1);
  assert.equal(pemBlocks(authorityCertificate.replaceAll("\n", "\r\n")).length, 1);
});
