import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@orch/client/http/http.js";
import { testCertificate, testKey } from "@orch/client/testing/test-certificate.js";
import { startWireServer } from "@orch/client/testing/wire-server.js";
import { createNaming } from "@orch/naming/naming.js";
import { createControllerClients } from "./controller-clients.js";

test("each controller acts as its account, whoever this process is itself", async (t) => {
  const server = await startWireServer();
  const config = {
    server: server.url,
    namespace: "default",
    ca: testCertificate,
    insecureSkipTlsVerify: false,
    certificate: testCertificate,
    key: testKey,
    impersonate: { user: "somebody" },
  };
  const client = createClient(config);
  const naming = createNaming("kubernetes");
  const own = createControllerClients({ config, client, naming, connection: {}, now: () => 0 });
  t.after(async () => {
    await own.close();
    await client.close();
    await server.close();
  });
  server.next((_req, res) => {
    res.end(JSON.stringify({ status: { token: "t", expirationTimestamp: "1970-01-01T01:00:00Z" } }));
  });
  const collector = own.clientFor("garbage-collector-controller");
  await collector.list({ group: "", version: "v1", resource: "configmaps", namespace: "obs" });
  assert.deepEqual(server.requests, [
    "POST /api/v1/namespaces/kube-system/serviceaccounts/generic-garbage-collector/token",
    "GET /api/v1/namespaces/obs/configmaps",
  ]);
  const headers = server.lastHeaders();
  assert.deepEqual([headers["authorization"], headers["impersonate-user"]], ["Bearer t", undefined]);
  const approver = own.clientFor("certificatesigningrequest-approving-controller");
  assert.equal(own.clientFor("certificatesigningrequest-cleaner-controller"), approver);
  assert.notEqual(approver, collector);
});
