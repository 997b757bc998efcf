import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, test } from "node:test";
import { listenUrls, serveEtcdStub } from "./etcd.js";

const rows: readonly [argv: readonly string[], urls: readonly string[]][] = [
  [[], ["http://localhost:2379"]],
  [["--listen-client-urls=http://127.0.0.1:1"], ["http://127.0.0.1:1"]],
  [
    ["--unsafe-no-fsync", "-listen-client-urls", "http://a:1,http://b:2", "--name", "x"],
    ["http://a:1", "http://b:2"],
  ],
  [["--listen-client-urls=http://a:1", "--listen-client-urls=http://b:2"], ["http://b:2"]],
];
for (const [argv, urls] of rows) {
  test(`etcd ${argv.join(" ")} answers at ${urls.join(" and ")}`, () => assert.deepEqual(listenUrls(argv), urls));
}

test("the stub is well, has a version, and says what it is to all else", async () => {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  const port = typeof address === "object" ? address?.port : 0;
  probe.close();
  const stub = await serveEtcdStub([`--listen-client-urls=http://127.0.0.1:${port}`]);
  after(() => stub.close());
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text()];
  };
  assert.deepEqual(await ask("/health?serializable=true"), [200, '{"health":"true","reason":""}']);
  assert.deepEqual(await ask("/version"), [200, '{"etcdserver":"3.5.0","etcdcluster":"3.5.0"}']);
  assert.equal((await ask("/v3/kv/range"))[0], 404);
  await assert.rejects(serveEtcdStub([`--listen-client-urls=http://127.0.0.1:${port}`]), /EADDRINUSE/);
});

test("the stub refuses addresses that it cannot listen at", async () => {
  for (const url of ["https://127.0.0.1:1", "unix:///tmp/x", "nonsense"]) {
    await assert.rejects(serveEtcdStub([`--listen-client-urls=${url}`]), /is no http address$/);
  }
});
