import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { ensurePki } from "@orch/service-standalone/pki/pki.js";
import { type Endpoint, httpRequest, runLoad } from "./load.js";

test("a load goes on after its time until the least number of requests was answered", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "orch-load-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { serving } = await ensurePki(folder, {
    tlsSans: [],
    clock: { now: Date.now },
    naming: createNaming("orch"),
  });
  let asked = 0;
  const server = createServer({ key: serving.key, cert: serving.certificate }, (_, response) => {
    asked += 1;
    setTimeout(() => response.end("slow"), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const load = {
    endpoints: [{ host: "127.0.0.1", port, token: "" }],
    ...{ connections: 1, warmupMs: 0, durationMs: 15, least: 3 },
    request: (endpoint: Endpoint) => httpRequest(endpoint, { method: "GET", path: "/" }),
    success: (code: number) => code === 200,
  };
  const measured = await runLoad(load, () => {});
  assert.equal(measured.requests, 3);
  assert.equal(measured.failures, 0);
  assert.ok(asked >= 3);
});
