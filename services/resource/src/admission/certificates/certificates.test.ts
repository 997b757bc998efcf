import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { authorityCertificate, plainRequest } from "@orch/api/testing/certificates.js";
import type { ResourceAttributes } from "@orch/auth/authorizer.js";
import { alwaysAllow } from "@orch/auth/fixed-authorizers.js";
import type { Dialect } from "@orch/naming/naming.js";
import { openBed } from "../../testing/bed.js";

/** O=system:masters, CN=ann. */
const mastersRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHjMIGJAgEAMCcxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQwwCgYDVQQDDANh
bm4wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARYOX4Dt9/MbPGcCmGxr5W+N6pH
AgiJBfqfz6UAMm8v0XMsRRrugciS41AFpDU6sQsWSh36f3/br6c+Y+Pc+EPGoAAw
CgYIKoZIzj0EAwIDSQAwRgIhAP8DxeM0eEq5B9sfY6yQxganDY6BVpxKm6WCU3O5
f3+9AiEAo0hqc6ZnNEYROtYdbclKQxe8MCo+wdlh/jNX6rr1ACI=
-----END CERTIFICATE REQUEST-----
`;

const encoded = (text: string) => Buffer.from(text).toString("base64");
const approved = { type: "Approved", status: "True", reason: "r", message: "m" };

/** A server where the rights that a test names are there: `approve example.com/*`. */
async function setup(t: TestContext, dialect: Dialect = "kubernetes") {
  const bed = await openBed(t, dialect);
  const rights = new Set<string>();
  const asked: ResourceAttributes[] = [];
  const { write, read } = await bed.start({
    permissions: {
      authorizer: {
        authorize(attributes) {
          assert.ok(attributes.kind === "resource");
          asked.push(attributes);
          const allowed = rights.has(`${attributes.verb} ${attributes.name}`);
          return { outcome: allowed ? "allow" : "noOpinion", reason: "" };
        },
      },
      rules: alwaysAllow,
    },
  });
  const at = { ...{ group: bed.naming.group("certificates"), resource: "certificatesigningrequests" }, namespace: "" };
  return {
    rights,
    asked,
    naming: bed.naming,
    async create(signerName: string, pem = plainRequest) {
      const spec = { signerName, request: encoded(pem), usages: ["client auth"] };
      return read(await write(at, { metadata: { name: "r" }, spec }));
    },
    async update(subresource: string, object: object) {
      return read(await write({ ...at, verb: "update", name: "r", subresource }, object));
    },
    async patch(subresource: string, body: object) {
      const contentType = "application/merge-patch+json";
      return read(await write({ ...at, verb: "patch", name: "r", subresource, contentType }, body));
    },
  };
}

test("a request is approved by whoever may approve for its signer or the signer's domain", async (t) => {
  const { create, update, patch, rights, asked } = await setup(t);
  const request = await create("example.com/s");
  const decided = { ...request, status: { conditions: [approved] } };
  const refused = {
    reason: "Forbidden",
    message:
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/s"',
  };
  await assert.rejects(update("approval", decided), refused);
  await assert.rejects(patch("approval", { status: { conditions: [approved] } }), refused);
  const names = new Set(asked.map(({ verb, group, resource, name }) => [verb, group, resource, name].join(" ")));
  assert.deepEqual(
    [...names],
    ["example.com/s", "example.com/*"].map((name) => `approve certificates.k8s.io signers ${name}`),
  );
  rights.add("sign example.com/s").add("approve example.com/t").add("approve other.com/*").add("approve *");
  await assert.rejects(update("approval", decided), refused);
  // Naming another signer in the body does not help.
  rights.add("approve example.com/mine");
  const other = { ...decided, spec: { signerName: "example.com/mine" } };
  await assert.rejects(update("approval", other), refused);
  rights.add("approve example.com/*");
  assert.match(JSON.stringify(await update("approval", decided)), /"type":"Approved"/);
});

test("a certificate or a condition is written by whoever may sign, anything else of the status by all", async (t) => {
  const { create, update, patch, rights, asked } = await setup(t);
  const request = await create("example.com/s");
  assert.deepEqual(asked, []);
  const failed = { type: "Failed", status: "True" };
  const refused = {
    reason: "Forbidden",
    message: /user not permitted to sign requests with signerName "example.com\/s"$/,
  };
  await assert.rejects(
    update("status", { ...request, status: { certificate: encoded(authorityCertificate) } }),
    refused,
  );
  await assert.rejects(update("status", { ...request, status: { conditions: [failed] } }), refused);
  await assert.rejects(patch("status", { status: { certificate: encoded(authorityCertificate) } }), refused);
  asked.length = 0;
  await update("status", { ...request, metadata: { ...request.metadata, labels: { a: "b" } } });
  assert.deepEqual(asked, []);
  rights.add("sign example.com/s");
  const { status } = await patch("status", { status: { conditions: [failed] } });
  assert.match(JSON.stringify(status), /"type":"Failed"/);
  rights.clear();
  asked.length = 0;
  await patch("status", { metadata: { labels: { c: "d" } } });
  assert.deepEqual(asked, []);
  await assert.rejects(patch("status", { status: { conditions: [] } }));
});

for (const dialect of ["orch", "kubernetes"] as const) {
  test(`nobody asks for a client certificate of the masters: ${dialect}`, async (t) => {
    const { create, naming } = await setup(t, dialect);
    const signer = naming.key("kube-apiserver-client");
    await assert.rejects(create(signer, mastersRequest), {
      reason: "Forbidden",
      message: `certificatesigningrequests.${naming.group("certificates")} "r" is forbidden: use of ${signer} signer with system:masters group is not allowed`,
    });
    await create("example.com/s", mastersRequest);
  });
}

test("requests of others for the same signer are stored", async (t) => {
  const { create, update } = await setup(t);
  const request = await create("kubernetes.io/kube-apiserver-client");
  await update("", { ...request, metadata: { ...request.metadata, labels: { a: "b" } } });
});
