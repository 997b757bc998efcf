import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openEtcdStore } from "@orch/store/etcd-store.js";
import { key } from "@orch/store/revision.js";
import { type EtcdServer, etcdMissing, startEtcd } from "@orch/store/testing/etcd-server.js";
import { connect, type Http } from "./harness/http.js";
import { namesOf } from "./harness/manifests.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until, untilInRow } from "./harness/until.js";

const skip = etcdMissing() ?? false;

type Start = (flag: string) => Promise<Target>;
const starts: readonly (readonly [string, Start])[] = [
  ["standalone", (flag) => startStandalone({ etcd: true, args: [flag] })],
  ["distributed", (flag) => startDistributed({ storeArgs: [flag] })],
];

for (const [name, start] of starts) {
  describe(`resources in an etcd of their own, ${name}`, { skip }, () => {
    let second: EtcdServer;
    let target: Target;
    let http: Http;
    const events = "/api/v1/namespaces/default/events";
    const maps = "/api/v1/namespaces/default/configmaps";
    const event = (of: string) => ({
      metadata: { name: of },
      involvedObject: { kind: "Pod", name: "p", namespace: "default" },
      ...{ reason: "Test", type: "Normal", message: of },
    });

    before(async () => {
      second = await startEtcd();
      target = await start(`--etcd-servers-overrides=/events#${second.endpoints.join(";")}`);
      http = connect(target);
    });
    after(async () => {
      http.close();
      await target.stop();
      await second.stop();
    });

    const made = async (path: string, body: object): Promise<string> => {
      const answer = await http.post(path, body);
      assert.equal(answer.status, 201, answer.text);
      return String(answer.at("metadata.resourceVersion"));
    };

    test("their objects stand there and nowhere else, and no others do", async () => {
      await made(events, event("there"));
      await made(maps, { metadata: { name: "here" } });
      const prefix = target.naming.storePrefix;
      const store = await openEtcdStore({ endpoints: second.endpoints, prefix });
      const { entries } = await store.range({ prefix: key(prefix) });
      await store.close();
      const kinds = new Set(entries.map(({ key }) => key.slice(prefix.length).split("/")[0]));
      // Beside the key by which tokens to continue a list are signed.
      assert.deepEqual([...kinds].toSorted(), ["events", "watch-cache"]);
      assert.ok(entries.some(({ key }) => key.endsWith("/there")));
      assert.equal((await http.get(`${events}/there`)).status, 200);
    });

    test("both are listed, paged and watched by revisions of their own, by either group of events", async () => {
      const first = await made(events, event("w1"));
      const watch = await http.watch(events, { resourceVersion: first });
      for (let i = 0; i < 20; i++) await made(maps, { metadata: { name: `m${i}` } });
      await made(events, event("w2"));
      assert.match((await watch.take(1))[0]?.text ?? "", /^ADDED w2@/);
      watch.close();
      const page = await http.get(events, { limit: 1 });
      const rest = await http.get(events, { continue: String(page.at("metadata.continue")) });
      const all = namesOf([...page.items(), ...rest.items()]);
      assert.ok(["there", "w1", "w2"].every((each) => all.includes(each)));
      const other = await http.get("/apis/events.k8s.io/v1/namespaces/default/events");
      assert.deepEqual(namesOf(other.items()), all);
      const since = String(other.at("metadata.resourceVersion"));
      const exact = { resourceVersion: since, resourceVersionMatch: "Exact" };
      await made(events, event("w3"));
      assert.deepEqual(namesOf((await http.get(events, exact)).items()), all);
      assert.equal((await http.get(events, { resourceVersion: since })).status, 200);
    });

    test("a collection of them is deleted", async () => {
      assert.equal((await http.delete(events)).status, 200);
      assert.deepEqual((await http.get(events)).items(), []);
      assert.equal((await http.get(`${maps}/here`)).status, 200);
    });

    test("while that etcd is away nothing else waits, and afterwards all goes on", async () => {
      await made(events, event("before"));
      const [member] = second.members;
      assert.ok(member);
      // Memory is to answer: each that is asked in turn has heard of it.
      await untilInRow("memory has the event", async () => {
        const { status } = await http.get(`${events}/before`, { resourceVersion: 0 });
        return status === 200;
      });
      await member.kill();
      await made(maps, { metadata: { name: "meanwhile" } });
      assert.equal((await http.get(`${maps}/meanwhile`)).status, 200);
      assert.equal((await http.get(`${events}/before`, { resourceVersion: 0 })).status, 200);
      assert.equal((await http.get("/readyz")).status, 200);
      const refused = await http.post(events, event("lost"));
      assert.ok([503, 504].includes(refused.status), refused.text);
      await member.restart();
      await until("events are written", async () => {
        const answer = await http.post(events, event("after"));
        return answer.status === 201 || answer.status === 409 ? true : undefined;
      });
      const names = namesOf((await http.get(events)).items()).filter((name) => name !== "lost");
      assert.deepEqual(names.toSorted(), ["after", "before"]);
    });
  });
}
