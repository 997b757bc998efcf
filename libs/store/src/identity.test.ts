import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "./embedded/database.js";
import { openEmbeddedStore } from "./embedded-store.js";
import { claimEtcdIdentity } from "./etcd-identity.js";
import { openEtcdStore } from "./etcd-store.js";
import type { ExpectedDialect } from "./identity.js";
import { StoreRefused } from "./store-refused.js";
import { drive } from "./testing/drive.js";
import { etcdMissing, freePorts, startEtcd } from "./testing/etcd-server.js";

const signs = { orch: ["/x/namespaces/orch-system"], kubernetes: ["/x/namespaces/kube-system"] };
const orch: ExpectedDialect = { dialect: "orch", signs };
const kubernetes: ExpectedDialect = { dialect: "kubernetes", signs };
const prefix = "/x/";

async function inDirectory(use: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), "orch-store-"));
  try {
    await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

const refusal =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof StoreRefused && pattern.test(error.message) && !error.message.includes("\n");

test("data of one dialect is refused to the other before anything is written, and knows its cluster", async () => {
  await inDirectory(async (path) => {
    const store = await openEmbeddedStore({ path, prefix, dialect: orch });
    const { cluster } = store.identity;
    await store.close();
    const before = await state(path);
    await assert.rejects(
      openEmbeddedStore({ path, prefix, dialect: kubernetes }),
      refusal(/belongs to a cluster of the orch dialect.*--api-dialect=orch.*--data-dir/),
    );
    assert.deepEqual(await state(path), before);
    // A copy of the database alone knows it too.
    await rm(join(path, "identity.json"));
    await assert.rejects(openEmbeddedStore({ path, prefix, dialect: kubernetes }), refusal(/of the orch dialect/));
    const again = await openEmbeddedStore({ path, prefix, dialect: orch });
    assert.equal(again.identity.cluster, cluster);
    await again.close();
  });
});

async function state(path: string): Promise<readonly unknown[]> {
  const names = (await readdir(path)).sort();
  return Promise.all(names.map(async (name) => [name, (await stat(join(path, name))).mtimeMs]));
}

test("data without an identity is known by what only its dialect has", async () => {
  await inDirectory(async (path) => {
    const store = await openEmbeddedStore({ path, prefix });
    await drive(store, prefix).put("namespaces/kube-system", 0, "{}");
    await store.close();
    await rm(join(path, "identity.json"));
    await assert.rejects(openEmbeddedStore({ path, prefix, dialect: orch }), refusal(/of the kubernetes dialect/));
    const own = await openEmbeddedStore({ path, prefix, dialect: kubernetes });
    assert.equal(own.identity.dialect, "kubernetes");
    await own.close();
    await assert.rejects(openEmbeddedStore({ path, prefix, dialect: orch }), refusal(/of the kubernetes dialect/));
  });
});

test("data of a newer format is refused before it is opened", async () => {
  await inDirectory(async (path) => {
    await (await openEmbeddedStore({ path, prefix })).close();
    await writeFile(join(path, "identity.json"), '{"format":99,"cluster":"c"}');
    await assert.rejects(
      openEmbeddedStore({ path, prefix }),
      refusal(/has format 99.*start the version that wrote it/),
    );
  });
});

test("nobody but its owner reads the data, also where an older version let others", async () => {
  await inDirectory(async (path) => {
    const modes = async (): Promise<readonly string[]> =>
      Promise.all(
        ["", ...(await readdir(path)).sort()].map(async (name) => {
          return `${name} ${((await stat(join(path, name))).mode & 0o777).toString(8)}`;
        }),
      );
    const wanted = [" 700", "data.mdb 600", "data.mdb-lock 600", "identity.json 600"];
    await (await openEmbeddedStore({ path, prefix })).close();
    assert.deepEqual(await modes(), wanted);
    await chmod(path, 0o755);
    await chmod(join(path, "data.mdb"), 0o644);
    await chmod(join(path, "data.mdb-lock"), 0o644);
    openDatabase(join(path, "data.mdb")).close();
    await (await openEmbeddedStore({ path, prefix })).close();
    assert.deepEqual(await modes(), wanted);
  });
});

test("a prefix of etcd belongs to the dialect that came first, and all compare", {
  skip: etcdMissing() ?? false,
}, async () => {
  const etcd = await startEtcd();
  const { endpoints } = etcd;
  const store = await openEtcdStore({ endpoints, prefix });
  try {
    const claims = await Promise.all(
      Array.from({ length: 4 }, () => claimEtcdIdentity({ store, prefix, expected: orch, endpoints })),
    );
    assert.equal(new Set(claims.map(({ cluster }) => cluster)).size, 1);
    await assert.rejects(
      claimEtcdIdentity({ store, prefix, expected: kubernetes, endpoints }),
      refusal(/what etcd holds under \/x\/ belongs to a cluster of the orch dialect.*--etcd-prefix/),
    );
    assert.equal((await store.range({ prefix: drive(store, prefix).prefix })).count, 0);
  } finally {
    await store.close();
    await etcd.stop();
  }
});

test("an etcd that cannot be reached is named, with what to do", async () => {
  const [port] = await freePorts(1);
  const endpoints = [`http://127.0.0.1:${port}`];
  const store = await openEtcdStore({ endpoints, prefix, times: { totalMs: 100 } });
  try {
    await assert.rejects(
      claimEtcdIdentity({ store, prefix, expected: orch, endpoints }),
      refusal(new RegExp(`^etcd cannot be reached at http://127.0.0.1:${port}: start it, or name its members with`)),
    );
  } finally {
    await store.close();
  }
});
