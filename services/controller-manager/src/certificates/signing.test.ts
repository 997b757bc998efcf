import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { mailRequest, nodeRequest, plainRequest, servingRequest } from "@orch/api/testing/certificates.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { issueAuthority } from "@orch/pki/certificates.js";
import { type SignerKind, signerKinds, signerName } from "./signers.js";
import { type AuthorityFiles, type SigningConfig, signed } from "./signing-controller.js";

const naming = createNaming("kubernetes");
const now = Date.parse("2026-12-01T00:00:00Z");
const dayMs = 24 * 3_600_000;

async function filesOf(t: TestContext, name = "ca"): Promise<AuthorityFiles> {
  const folder = await mkdtemp(join(tmpdir(), "signing-"));
  t.after(() => rm(folder, { recursive: true }));
  const files = { certificate: join(folder, "ca.pem"), key: join(folder, "ca.key") };
  await write(files, name);
  return files;
}

async function write(files: AuthorityFiles, name: string): Promise<void> {
  const pair = await issueAuthority(name, now - dayMs);
  await writeFile(files.certificate, pair.certificate);
  await writeFile(files.key, pair.key);
}

function forAll(files: AuthorityFiles, durationMs = 365 * dayMs): SigningConfig {
  return { authorities: Object.fromEntries(signerKinds.map((kind) => [kind, files])), durationMs };
}

const condition = (type: string) => ({ type, status: "True", lastUpdateTime: "2026-01-01T00:00:00Z" });
const usual: Readonly<Record<SignerKind, readonly string[]>> = {
  "agent-client": ["digital signature", "client auth"],
  "agent-serving": ["digital signature", "key encipherment", "server auth"],
  "apiserver-client": ["client auth"],
  "legacy-unknown": ["code signing"],
};

function requestOf(
  kind: SignerKind,
  pem: string,
  more: { readonly spec?: object; readonly status?: object } = {},
): ApiObject {
  return {
    metadata: { name: "r" },
    spec: {
      request: Buffer.from(pem).toString("base64"),
      signerName: signerName(kind, naming),
      usages: usual[kind],
      ...more.spec,
    },
    status: { conditions: [condition("Approved")], ...more.status },
  };
}

function outcomeOf(object: ApiObject | undefined): {
  readonly certificate?: X509Certificate;
  readonly failed?: string;
} {
  const status = isRecord(object?.["status"]) ? object["status"] : {};
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const failed = conditions.find((c) => c.type === "Failed");
  if (failed !== undefined) {
    assert.deepEqual([failed.status, failed.reason], ["True", "SignerValidationFailure"]);
    assert.equal(failed.lastUpdateTime, "2026-12-01T00:00:00Z");
    return { failed: failed.message };
  }
  if (typeof status["certificate"] !== "string") return {};
  return { certificate: new X509Certificate(Buffer.from(status["certificate"], "base64")) };
}

test("the signers have their names in each dialect", () => {
  const names = (dialect: "orch" | "kubernetes") => signerKinds.map((kind) => signerName(kind, createNaming(dialect)));
  assert.deepEqual(names("kubernetes"), [
    "kubernetes.io/kubelet-serving",
    "kubernetes.io/kube-apiserver-client-kubelet",
    "kubernetes.io/kube-apiserver-client",
    "kubernetes.io/legacy-unknown",
  ]);
  assert.equal(names("orch")[0], "orch/kubelet-serving");
});

test("what was approved is signed by the authority of its signer", async (t) => {
  const [one, other] = [await filesOf(t, "one"), await filesOf(t, "other")];
  const config: SigningConfig = {
    authorities: { "agent-client": one, "agent-serving": other, "apiserver-client": other, "legacy-unknown": other },
    durationMs: 365 * dayMs,
  };
  const rows: readonly (readonly [SignerKind, string, string, string])[] = [
    ["agent-client", nodeRequest, "CN=one", "O=system:nodes\nCN=system:node:n1"],
    ["agent-serving", servingRequest, "CN=other", "O=system:nodes\nCN=system:node:n1"],
    ["apiserver-client", plainRequest, "CN=other", "CN=ann"],
    ["legacy-unknown", mailRequest, "CN=other", "O=system:nodes\nCN=system:node:n1"],
  ];
  for (const [kind, pem, issuer, subject] of rows) {
    const { certificate, failed } = outcomeOf(await signed(requestOf(kind, pem), { config, naming, now }));
    assert.deepEqual([failed, certificate?.issuer, certificate?.subject], [undefined, issuer, subject], kind);
    assert.equal(Date.parse(certificate?.validTo ?? ""), now + 365 * dayMs - 300_000);
  }
});

const unmatched = (purpose: string) => {
  return `usages did not match [${["digital signature", "key encipherment", purpose].sort().join(" ")}]`;
};
const refusals: readonly (readonly [SignerKind, string, readonly string[] | undefined, string])[] = [
  ["agent-client", plainRequest, undefined, "subject organization is not system:nodes"],
  ["agent-client", servingRequest, undefined, "DNS subjectAltNames are not allowed"],
  ["agent-client", mailRequest, undefined, "Email subjectAltNames are not allowed"],
  ["agent-client", nodeRequest, ["digital signature", "server auth"], unmatched("client auth")],
  ["agent-client", nodeRequest, ["digital signature", "client auth", "any"], unmatched("client auth")],
  ["agent-client", nodeRequest, ["client auth"], unmatched("client auth")],
  ["agent-serving", plainRequest, undefined, "subject organization is not system:nodes"],
  ["agent-serving", nodeRequest, undefined, "DNS or IP subjectAltName is required"],
  ["agent-serving", servingRequest, ["digital signature", "client auth"], unmatched("server auth")],
  ["apiserver-client", plainRequest, ["server auth"], "invalid usage for client certificate: server auth"],
  [
    "apiserver-client",
    plainRequest,
    ["digital signature"],
    "missing required usage for client certificate: client auth",
  ],
  ["legacy-unknown", plainRequest, ["fun"], 'unrecognized usage values: "fun"'],
  ["apiserver-client", "nonsense", undefined, "PEM block type must be CERTIFICATE REQUEST"],
];
for (const [kind, pem, usages, message] of refusals) {
  test(`a request for ${kind} has failed: ${message}`, async (t) => {
    const request = requestOf(kind, pem, usages === undefined ? {} : { spec: { usages } });
    const config = forAll(await filesOf(t));
    assert.deepEqual(outcomeOf(await signed(request, { config, naming, now })), { failed: message });
  });
}

test("what is not approved, decided otherwise, issued or of another signer is left alone", async (t) => {
  const config = forAll(await filesOf(t));
  const [approved, denied, failed] = ["Approved", "Denied", "Failed"].map(condition);
  const rows: readonly ApiObject[] = [
    requestOf("agent-client", nodeRequest, { status: { conditions: [] } }),
    requestOf("agent-client", nodeRequest, { status: { conditions: undefined } }),
    requestOf("agent-client", nodeRequest, { status: { conditions: [approved, denied] } }),
    requestOf("agent-client", nodeRequest, { status: { conditions: [approved, failed] } }),
    requestOf("agent-client", nodeRequest, { status: { certificate: "eA==" } }),
    requestOf("agent-client", nodeRequest, { spec: { signerName: "example.com/s" } }),
    requestOf("agent-client", nodeRequest, { spec: { signerName: "orch/kube-apiserver-client-kubelet" } }),
    { metadata: { name: "r" } },
  ];
  for (const object of rows) assert.equal(await signed(object, { config, naming, now }), undefined);
  const others: SigningConfig = { ...config, authorities: { "agent-serving": await filesOf(t) } };
  assert.equal(await signed(requestOf("agent-client", nodeRequest), { config: others, naming, now }), undefined);
});

test("a request may ask for less time than others, and not for more", async (t) => {
  const config = forAll(await filesOf(t), dayMs);
  const lasts = async (expirationSeconds: number) => {
    const object = await signed(requestOf("apiserver-client", plainRequest, { spec: { expirationSeconds } }), {
      config,
      naming,
      now,
    });
    return (Date.parse(outcomeOf(object).certificate?.validTo ?? "") - now) / 1000;
  };
  assert.equal(await lasts(3600), 3600);
  assert.equal(await lasts(60), 600);
  assert.equal(await lasts(1_000_000), 86_400 - 300);
});

test("an authority's files may be replaced, and are not signed with while they do not fit", async (t) => {
  const files = await filesOf(t, "old");
  const config = forAll(files);
  const sign = () => signed(requestOf("apiserver-client", plainRequest), { config, naming, now });
  assert.equal(outcomeOf(await sign()).certificate?.issuer, "CN=old");
  await write(files, "new");
  assert.equal(outcomeOf(await sign()).certificate?.issuer, "CN=new");
  await writeFile(files.key, (await issueAuthority("x", now)).key);
  await assert.rejects(sign(), /do not belong together/);
  await rm(files.key);
  await assert.rejects(sign(), { code: "ENOENT" });
});

/** O=system:masters, CN=ann, both as BMPString: what reads bytes as UTF-8 sees another group. */
const wideRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHzMIGaAgEAMDgxJTAjBgNVBAoeHABzAHkAcwB0AGUAbQA6AG0AYQBzAHQAZQBy
AHMxDzANBgNVBAMeBgBhAG4AbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFg5
fgO338xs8ZwKYbGvlb43qkcCCIkF+p/PpQAyby/RcyxFGu6ByJLjUAWkNTqxCxZK
Hfp/f9uvpz5j49z4Q8agADAKBggqhkjOPQQDAgNIADBFAiBvBEuxgdnUH2biLe9z
AmTOEpKIMsy594pTKKD1PcalCwIhAMb57uihrY+r2SDiKehPCTkGQeDSlKMjha09
hCPprugD
-----END CERTIFICATE REQUEST-----
`;

/** CN=system:node:n1, CN=ann: one reader takes the first, another the last. */
const twofoldRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHiMIGJAgEAMCcxFzAVBgNVBAMMDnN5c3RlbTpub2RlOm4xMQwwCgYDVQQDDANh
bm4wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARYOX4Dt9/MbPGcCmGxr5W+N6pH
AgiJBfqfz6UAMm8v0XMsRRrugciS41AFpDU6sQsWSh36f3/br6c+Y+Pc+EPGoAAw
CgYIKoZIzj0EAwIDSAAwRQIgfLV7RYSIILbx1FjuCDbfotkDibxXjCobE2QcHsSp
m5kCIQD2w8WRPuNZ3QvWqN1ofq9Xlv6kXEkeeMY1SlVNmbrgMg==
-----END CERTIFICATE REQUEST-----
`;

test("a subject that two readers would read differently is not signed", async (t) => {
  const config = forAll(await filesOf(t));
  for (const pem of [wideRequest, twofoldRequest]) {
    const { failed } = outcomeOf(await signed(requestOf("apiserver-client", pem), { config, naming, now }));
    assert.equal(failed, "the subject of the request can be read in more than one way");
  }
});
