import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http/http.js";
import { orch, startServer, temporaryFolder } from "./command-line-program.js";

for (const dialect of ["orch", "kubernetes"] as const) {
  test(`a user of the ${dialect} dialect gets a certificate by which the server knows him and his groups`, async (t) => {
    const server = await startServer(t, { dialect });
    const folder = await temporaryFolder(t);
    const data = `--data-dir=${server.dataDir}`;
    const file = join(folder, "alice.config");
    const made = await orch("kubeconfig", data, "--user=alice", "--group=devs,ops", "--days=2", `--output=${file}`);
    assert.deepEqual(made, { code: 0, out: "", err: "" });
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const config = await readClientConfig(file);
    assert.equal(config.server, server.url);
    const client = createClient(config);
    try {
      const group = dialect === "kubernetes" ? "authentication.k8s.io" : "authentication.orch";
      const review = await client.create(
        { group, version: "v1", resource: "selfsubjectreviews" },
        { metadata: {}, apiVersion: `${group}/v1`, kind: "SelfSubjectReview" },
      );
      const { status } = JSON.parse(JSON.stringify(review));
      assert.equal(status.userInfo.username, "alice");
      assert.deepEqual(status.userInfo.groups.slice(0, 2), ["devs", "ops"]);
    } finally {
      client.close();
    }
    const again = await orch("kubeconfig", data, "--user=alice", `--output=${file}`);
    assert.equal(again.code, 1);
    assert.match(again.err, /^orch kubeconfig: EEXIST/);

    const admin = await orch("kubeconfig", data, "--server=https://api.example.com/");
    assert.equal(admin.code, 0);
    const own = await readFile(join(server.dataDir, "admin.orchconfig"), "utf8");
    assert.equal(admin.out, own.replace(server.url, "https://api.example.com"));
  });
}

test("what cannot be is told in a line", async (t) => {
  const folder = await temporaryFolder(t);
  const nowhere = await orch("kubeconfig", `--data-dir=${folder}`);
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.err, /^orch kubeconfig: .*admin\.orchconfig.*\n$/);
  assert.equal((await orch("kubeconfig", "--days=0")).code, 2);
});
