import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeRequest, plainRequest } from "@orch/api/testing/certificates.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { ApiError } from "@orch/status/api-error.js";
import { createSigningServer, never } from "../testing/signing-server.js";
import { approve } from "./approving-controller.js";

const naming = createNaming("kubernetes");
const clock = createManualClock(Date.parse("2026-01-01T00:00:00Z"));

const requestOf = (spec: object = {}, status: object = {}): ApiObject => ({
  metadata: { name: "r" },
  spec: {
    request: Buffer.from(nodeRequest).toString("base64"),
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usages: ["digital signature", "client auth"],
    username: "system:bootstrap:abc",
    uid: "1",
    groups: ["g"],
    extra: { k: ["v"] },
    ...spec,
  },
  status,
});

/** Looks at one request on a server where these subresources may be created. */
async function look(object: ApiObject, allowed: readonly string[]) {
  const server = createSigningServer({ allowed: (subresource) => allowed.includes(String(subresource)) });
  const { client } = server;
  const outcome = await approve(object, { client: { ...client, ...unused }, naming, clock }, never);
  return { ...server, outcome };
}

const missing = (): never => assert.fail("not asked for");
const unused = { patch: missing, deleteCollection: missing, close: missing };

const approved = (message: string) => ({
  conditions: [
    {
      type: "Approved",
      reason: "AutoApproved",
      message,
      status: "True",
      lastUpdateTime: "2026-01-01T00:00:00Z",
    },
  ],
});

test("a node's request is approved where its sender may ask for nodes", async () => {
  const { outcome, reviews, log, object } = await look(requestOf(), ["nodeclient"]);
  assert.deepEqual([outcome, log], ["done", ["update r/approval"]]);
  assert.deepEqual(reviews, [
    {
      user: "system:bootstrap:abc",
      uid: "1",
      groups: ["g"],
      extra: { k: ["v"] },
      resourceAttributes: {
        group: "certificates.k8s.io",
        version: "*",
        resource: "certificatesigningrequests",
        subresource: "nodeclient",
        verb: "create",
      },
    },
  ]);
  const message = "Auto approving kubelet client certificate after SubjectAccessReview.";
  assert.deepEqual(object("r")?.["status"], approved(message));
});

test("a node's request for itself is approved where it may ask for itself", async () => {
  const own = requestOf({ username: "system:node:n1" });
  const self = await look(own, ["selfnodeclient"]);
  assert.equal(self.reviews.length, 1);
  const message = "Auto approving self kubelet client certificate after SubjectAccessReview.";
  assert.deepEqual(self.object("r")?.["status"], approved(message));
  const other = await look(own, ["nodeclient"]);
  assert.deepEqual([other.outcome, other.reviews.length], ["done", 2]);
});

test("a request that nobody may make waits, and is never denied", async () => {
  const { outcome, log, reviews } = await look(requestOf({ username: "system:node:n1" }), []);
  assert.deepEqual([outcome, log, reviews.length], ["retry", [], 2]);
  const stranger = await look(requestOf({ username: "system:node:n2" }), ["selfnodeclient"]);
  assert.deepEqual([stranger.outcome, stranger.log, stranger.reviews.length], ["retry", [], 1]);
});

test("what is no node's, or decided already, is left alone", async () => {
  const rows: readonly ApiObject[] = [
    requestOf({ signerName: "kubernetes.io/kube-apiserver-client" }),
    requestOf({ request: Buffer.from(plainRequest).toString("base64") }),
    requestOf({ request: "" }),
    requestOf({ usages: ["server auth", "digital signature"] }),
    requestOf({}, { conditions: [{ type: "Denied", status: "True" }] }),
    requestOf({}, { conditions: [{ type: "Approved", status: "True" }] }),
    requestOf({}, { certificate: "eA==" }),
    { metadata: { name: "r" } },
  ];
  for (const object of rows) {
    const { outcome, log, reviews } = await look(object, ["nodeclient", "selfnodeclient"]);
    assert.deepEqual([outcome, log, reviews], ["done", [], []]);
  }
});

test("a server that does not answer leaves the request as it is", async () => {
  const server = createSigningServer({ allowed: () => true });
  server.failOnce(new ApiError("ServiceUnavailable", "away"));
  const client = { ...server.client, ...unused };
  await assert.rejects(approve(requestOf(), { client, naming, clock }, never), { reason: "ServiceUnavailable" });
  assert.deepEqual(server.log, []);
});
