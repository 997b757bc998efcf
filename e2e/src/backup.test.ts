import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import { readJson } from "@orch/status/read-json.js";
import { etcdMissing, startEtcd } from "@orch/store/testing/etcd-server.js";
import { orch } from "./command-line-program.js";
import { connect, type Http } from "./harness/http.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";

const maps = "/api/v1/namespaces/default/configmaps";

/** A writer that creates `writer-0`, `writer-1`, … one after the other until it is told to stop. */
function startWriter(http: Http, writer: string) {
  let stopped = false;
  let acknowledged = 0;
  const done = (async () => {
    while (!stopped) {
      const created = await http.post(maps, { metadata: { name: `${writer}-${acknowledged}` }, data: { of: writer } });
      assert.equal(created.status, 201, created.text);
      acknowledged++;
    }
  })();
  return {
    acknowledged: () => acknowledged,
    async stop() {
      stopped = true;
      await done;
    },
  };
}

async function namesOf(http: Http): Promise<ReadonlySet<string>> {
  return new Set((await http.get(maps)).items().map((map) => map.metadata.name ?? ""));
}

describe("a backup of the embedded store", () => {
  let folder: string;
  let backup: string;
  let target: StandaloneTarget;
  let http: Http;
  before(async () => {
    folder = await newFolder();
    backup = join(folder, "backup");
    await mkdir(join(folder, "data"));
    target = await startStandalone({ dataDir: join(folder, "data") });
    http = connect(target);
  });
  after(async () => {
    http.close();
    await target.stop();
    await removeFolder(folder);
  });

  test("is of one moment while the server writes, holds what was acknowledged, and goes on in a new folder", async () => {
    const writers = ["a", "b", "c", "d"].map((name) => ({ name, ...startWriter(http, name) }));
    while (writers.some((writer) => writer.acknowledged() < 20))
      await new Promise((resolve) => setTimeout(resolve, 10));
    const before = writers.map((writer) => writer.acknowledged());
    const made = await orch("backup", `--data-dir=${join(folder, "data")}`, `--output=${backup}`, "--json");
    assert.deepEqual([made.code, made.err], [0, ""]);
    for (const writer of writers) await writer.stop();
    const total = writers.reduce((sum, writer) => sum + writer.acknowledged(), 0);
    const list = await http.get(maps, { limit: 5 });
    const lastSeen = Number(list.at("metadata.resourceVersion"));
    const pages = String(list.at("metadata.continue"));
    const report: unknown = readJson(made.out);
    assert.ok(isRecord(report) && typeof report["revision"] === "number" && report["revision"] < lastSeen);

    const restoredTo = join(folder, "restored");
    const restored = await orch("restore", `--from=${backup}`, `--data-dir=${restoredTo}`);
    assert.deepEqual([restored.code, restored.err], [0, ""]);
    const again = await startStandalone({ dataDir: restoredTo });
    const second = connect(again);
    try {
      const names = await namesOf(second);
      for (const [i, writer] of writers.entries()) {
        const count = [...names].filter((name) => name.startsWith(`${writer.name}-`)).length;
        assert.ok(count >= (before[i] ?? 0), `${writer.name}: ${count} of ${before[i]} that were acknowledged before`);
        for (let n = 0; n < count; n++) assert.ok(names.has(`${writer.name}-${n}`), `${writer.name}-${n} is a hole`);
      }
      assert.ok(names.size < total + 1, "the backup is of a moment between");

      const now = await second.get(maps);
      assert.ok(Number(now.at("metadata.resourceVersion")) > lastSeen, "time goes on");
      const created = await second.post(maps, { metadata: { name: "later" } });
      assert.ok(Number(created.at("metadata.resourceVersion")) > lastSeen);
      await assert.rejects(
        second.watch(maps, { resourceVersion: lastSeen, timeoutSeconds: 5 }).then(async (watch) => {
          const event = await watch.next();
          watch.close();
          assert.equal(event?.type, "ERROR");
          throw new Error(JSON.stringify(event?.object));
        }),
        /410|Expired|too old/,
      );
      const page = await second.get(maps, { limit: 5, continue: pages });
      assert.equal(page.status, 410, page.text);
    } finally {
      second.close();
      await again.stop();
    }
    assert.equal((await orch("check", `--data-dir=${restoredTo}`)).code, 0);
  });

  test("is private, whole under its name or not there, and made once", async () => {
    const mode = (await stat(backup)).mode & 0o777;
    assert.equal(mode, 0o700);
    assert.equal((await stat(join(backup, "store/data.mdb"))).mode & 0o777, 0o600);
    const again = await orch("backup", `--data-dir=${join(folder, "data")}`, `--output=${backup}`);
    assert.equal(again.code, 1);
    assert.match(again.err, /^orch backup: .*is there already\n$/);
    const none = await orch("backup", `--data-dir=${join(folder, "nothing")}`, `--output=${join(folder, "b2")}`);
    assert.equal(none.code, 1);
    assert.match(none.err, /^orch backup: .*data\.mdb is missing/);
    await assert.rejects(stat(join(folder, "b2")));
    assert.deepEqual((await orch("backup")).err, "orch backup: --output is needed\n");
    assert.deepEqual((await orch("restore")).err, "orch restore: --from is needed\n");
  });

  const spoilt: readonly (readonly [string, RegExp, (path: string) => Promise<void>])[] = [
    ["a byte that turned", /data\.mdb is not as it was written/, turnByte],
    ["a file that was cut", /data\.mdb has \d+ of \d+ bytes/, (path) => truncate(join(path, "store/data.mdb"), 8192)],
    ["a file that is missing", /ca\.key is missing/, (path) => rm(join(path, "pki/ca.key"))],
    ["no description", /is no backup/, (path) => rm(join(path, "backup.json"))],
    ["another description", /is not the description/, (path) => writeFile(join(path, "backup.json"), "{}")],
    ["a name that leads out", /is not the description/, leadOut],
  ];
  for (const [name, message, spoil] of spoilt) {
    test(`with ${name} is not restored, and nothing is made`, async () => {
      const copy = join(folder, "spoilt");
      await cp(backup, copy, { recursive: true });
      await spoil(copy);
      const refused = await orch("restore", `--from=${copy}`, `--data-dir=${join(folder, "never")}`);
      await rm(copy, { recursive: true });
      assert.equal(refused.code, 1);
      assert.match(refused.err, message);
      await assert.rejects(stat(join(folder, "never")));
    });
  }

  test("is not restored over what is there", async () => {
    const refused = await orch("restore", `--from=${backup}`, `--data-dir=${join(folder, "data")}`);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /is not empty: move it away/);
  });
});

async function turnByte(path: string): Promise<void> {
  const file = join(path, "store/data.mdb");
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  await writeFile(file, bytes);
}

async function leadOut(path: string): Promise<void> {
  const file = join(path, "backup.json");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace("store/data.mdb", "store/../../data.mdb"));
}

describe("a backup of etcd", { skip: etcdMissing() ?? false }, () => {
  test("is a snapshot as its checksum says, which etcd's own tool is told to restore behind what was", async () => {
    const folder = await newFolder();
    const etcd = await startEtcd();
    try {
      const output = join(folder, "backup");
      const servers = `--etcd-servers=http://127.0.0.1:1,${etcd.endpoints.join(",")}`;
      const made = await orch("backup", servers, `--output=${output}`);
      assert.deepEqual([made.code, made.err], [0, ""]);
      const tool = join(folder, "tool.sh");
      await writeFile(tool, `#!/bin/sh\necho "$@" > ${join(folder, "told")}\n`, { mode: 0o755 });
      const restore = (...args: string[]) =>
        orch("restore", `--from=${output}`, `--data-dir=${join(folder, "member")}`, ...args);
      assert.equal(
        (await restore(`--etcdutl=${tool}`, "--etcdutl-args=--name=m1,--initial-cluster=m1=http://a:1,m2=http://b:1"))
          .code,
        0,
      );
      assert.equal(
        await readFile(join(folder, "told"), "utf8"),
        `snapshot restore ${output}/etcd.snapshot --data-dir=${folder}/member --bump-revision=1000000000 --mark-compacted --name=m1 --initial-cluster=m1=http://a:1,m2=http://b:1\n`,
      );
      const without = await restore("--etcdutl=etcdutl-that-is-not-there");
      assert.equal(without.code, 1);
      assert.match(without.err, /there is no program etcdutl-that-is-not-there; .*the command: .*--mark-compacted/);
    } finally {
      await etcd.stop();
      await removeFolder(folder);
    }
  });
});
