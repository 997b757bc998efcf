import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { dialDirectly } from "@orch/outbound/dial.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import { createManualClock } from "@orch/runtime/clock.js";
import { makeCertificates } from "@orch/store/testing/certificates.js";
import { createWebhooks } from "./webhooks.js";

const { directory, server: files } = makeCertificates();
after(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(join(directory, "token"), "t0ken\n");

const naming = createNaming("orch");

/** A webhook that tells what it is shown; its port. */
async function serve(t: TestContext): Promise<number> {
  const tls = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
  const server = createServer(tls, ({ url, method, headers }, response) => {
    response.end(JSON.stringify({ url, method, authorization: headers.authorization }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

function inCluster(t: TestContext, port: number, egress?: Egress) {
  const webhooks = createWebhooks({
    naming,
    clock: createManualClock(),
    environment: { ORCH_SERVICE_HOST: "127.0.0.1", ORCH_SERVICE_PORT: String(port) },
    accountFolder: directory,
    egress,
  });
  t.after(() => webhooks.close());
  return webhooks.connect({ type: "InClusterConfig" });
}

const shown = { url: "/", method: "POST", authorization: "Bearer t0ken" };

test("InClusterConfig leads to the server of the cluster, as the pod's account", async (t) => {
  const port = await serve(t);
  const { post, address } = await inCluster(t, port);
  assert.equal(address, `https://127.0.0.1:${port}`);
  assert.deepEqual(await post({}, { timeoutMs: 5_000 }), shown);
});

test("webhooks go the way of the control plane", async (t) => {
  const port = await serve(t);
  const asked: string[] = [];
  const egress: Egress = {
    dial: () => dialDirectly,
    through: (purpose) => (to, signal) => {
      asked.push(`${purpose} ${to.host}:${to.port}`);
      return dialDirectly(to, signal);
    },
  };
  const { post } = await inCluster(t, port, egress);
  assert.deepEqual(await post({}, { timeoutMs: 5_000 }), shown);
  assert.deepEqual(asked, [`controlplane 127.0.0.1:${port}`]);
  const nowhere = await inCluster(t, port, {
    ...egress,
    through: () => () => Promise.reject(new Error("proxy error from /run/proxy.sock, code 403: 403 Forbidden")),
  });
  await assert.rejects(
    nowhere.post({}, { timeoutMs: 5_000 }),
    /can not be reached: proxy error from .* 403 Forbidden$/,
  );
});
