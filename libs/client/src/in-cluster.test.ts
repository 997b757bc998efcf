import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { inClusterConfig, serviceAccountFolder } from "./in-cluster.js";
import { createTools, temporaryFolder } from "./testing/credential-tools.js";

test("a pod finds its server, its token and its namespace", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "token"), "one\n");
  await writeFile(join(folder, "ca.crt"), "CA");
  await writeFile(join(folder, "namespace"), "obs\n");
  const naming = createNaming("kubernetes");
  const environment = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const { tools, advance } = createTools({ environment });
  const { credentials, ...config } = await inClusterConfig({ naming, tools, folder });
  assert.deepEqual(config, {
    server: "https://[fd00::1]:443",
    namespace: "obs",
    insecureSkipTlsVerify: false,
    ca: "CA",
    token: "one",
  });
  await writeFile(join(folder, "token"), "two");
  assert.equal((await credentials?.current())?.authorization, "Bearer one");
  advance(60_000);
  assert.equal((await credentials?.current())?.authorization, "Bearer two");
});

test("outside of a cluster that is said", async (t) => {
  const folder = await temporaryFolder(t);
  const naming = createNaming("orch");
  const { tools } = createTools();
  await assert.rejects(inClusterConfig({ naming, tools, folder }), /not in a cluster: ORCH_SERVICE_HOST is not set/);
  const inside = createTools({ environment: { ORCH_SERVICE_HOST: "a", ORCH_SERVICE_PORT: "1" } });
  await assert.rejects(inClusterConfig({ naming, tools: inside.tools, folder }), /token.*ENOENT|ENOENT.*token/);
  assert.equal(serviceAccountFolder(naming), "/var/run/secrets/orch/serviceaccount");
});
