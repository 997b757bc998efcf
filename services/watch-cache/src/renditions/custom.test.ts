import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import type { Convert } from "@orch/api/custom/convert.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import { createHeadPool } from "../head-pool.js";
import { createLabelPool } from "../label-pool.js";
import { type CachedObject, cachedObject } from "../object.js";
import { noWebhook } from "../testing/no-webhook.js";
import { createRenditions } from "./renditions.js";

const naming = createNaming("kubernetes");
const builtIn = loadCatalog(naming);
const taken = { labels: createLabelPool(), heads: createHeadPool(), fields: undefined };
const group = "example.com";
const since = 10;

/** The kind of a version of widgets: `v1` is stored, and `size` has a default. */
function kindOf(version: string, webhook = false): Kind {
  const names = { plural: "widgets", kind: "Widget" };
  const schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer", default: 3 } } } },
  };
  const definition: AnyObject = {
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1beta1",
    metadata: { name: `widgets.${group}`, resourceVersion: String(since) },
    spec: {
      ...{ group, names, scope: "Namespaced", preserveUnknownFields: false },
      validation: { openAPIV3Schema: schema },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1" })),
      ...(webhook ? { conversion: { strategy: "Webhook", webhookClientConfig: { url: "https://a" } } } : {}),
    },
    status: { acceptedNames: names, conditions: [{ type: "Established", status: "True" }] },
  };
  const live = createLiveCatalog(builtIn);
  live.changed(definition);
  return live.now.find(group, version, "widgets") ?? assert.fail("no such kind");
}

function object(name: string, revision: number, { version = "v1", spec = {} } = {}): CachedObject {
  const value = { kind: "Widget", apiVersion: `${group}/${version}`, metadata: { name, namespace: "a" }, spec };
  return cachedObject(`a/${name}`, { value: Buffer.from(JSON.stringify(value)), revision }, taken);
}

const renditionOf = (kind: Kind, convert: Convert = noWebhook) =>
  createRenditions({
    ...{ catalog: builtIn, metaGroup: naming.metaGroup, wallClock: () => 0, hotBytes: 1e6 },
    convert,
  }).of(kind, "");

const shown = (bytes: Buffer) => JSON.parse(bytes.toString());

test("what this definition stored is shown as it stands, byte for byte", () => {
  const rendition = renditionOf(kindOf("v1"));
  const fresh = object("a", since + 1);
  assert.equal(rendition.document(fresh), fresh.bytes);
  assert.equal(rendition.prepare([fresh]), undefined);
});

test("what an older definition left has the name, the fields and the defaults of this one", () => {
  const old = object("a", since - 1, { version: "v0", spec: { junk: 1 } });
  const { apiVersion, metadata, spec } = shown(renditionOf(kindOf("v1")).document(old));
  assert.deepEqual([apiVersion, metadata.resourceVersion, spec], [`${group}/v1`, "9", { size: 3 }]);
  const other = shown(renditionOf(kindOf("v2")).document(object("b", since + 1)));
  assert.equal(other.apiVersion, `${group}/v2`);
});

test("very many of them are written anew in turns, and the list is whole", async () => {
  const rendition = renditionOf(kindOf("v1"));
  const items = Array.from({ length: 5000 }, (_, i) => object(`n${i}`, 1, { version: "v0" }));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const prepared = await rendition.prepare(items);
  clearInterval(timer);
  assert.ok(prepared !== undefined && turns > 1, `${turns} turns`);
  const list = { resourceVersion: 20, items, continueToken: "", remainingItemCount: undefined };
  const { chunks } = prepared.list(list);
  const body = shown(Buffer.concat([...chunks]));
  assert.equal(body.items.length, items.length);
  assert.deepEqual(body.items[4999].spec, { size: 3 });
  assert.deepEqual([body.items[7].kind, body.items[7].apiVersion], ["Widget", `${group}/v1`]);
});

test("a webhook is asked about objects of other versions, about each state once", async () => {
  const asked: number[] = [];
  const convert: Convert = async (to, objects) => {
    asked.push(objects.length);
    return objects.map((one) => ({ ...one, apiVersion: to.apiVersion, spec: { size: 7 } }));
  };
  const rendition = renditionOf(kindOf("v2", true), convert);
  const items = [object("a", 11), object("b", 12), object("c", 13, { version: "v2" })];
  assert.throws(() => rendition.document(items[0] ?? assert.fail()), /was not converted/);
  const prepared = (await rendition.prepare(items)) ?? assert.fail("nothing was prepared");
  assert.deepEqual(
    items.map((item) => shown(prepared.document(item)).spec),
    [{ size: 7 }, { size: 7 }, {}],
  );
  await rendition.prepare(items);
  assert.deepEqual(asked, [2]);
  const deleted = shown(prepared.event("DELETED", items[0] ?? assert.fail(), 99)).object;
  assert.deepEqual([deleted.metadata.resourceVersion, deleted.spec], ["99", { size: 7 }]);
});

/** A webhook that answers when it is let to. */
function slowWebhook() {
  const asked: number[] = [];
  const answers: { readonly give: () => void; readonly fail: () => void }[] = [];
  const convert: Convert = (to, objects) => {
    asked.push(objects.length);
    return new Promise((resolve, reject) => {
      answers.push({
        give: () => resolve(objects.map((one) => ({ ...one, apiVersion: to.apiVersion, spec: { size: 7 } }))),
        fail: () => reject(new Error("no")),
      });
    });
  };
  return { asked, answers, convert };
}

test("watchers of one change ask the webhook once, and share what goes wrong", async () => {
  const { asked, answers, convert } = slowWebhook();
  const rendition = renditionOf(kindOf("v2", true), convert);
  const change = [object("a", 11)];
  const watchers = Promise.all([1, 2, 3].map(() => rendition.prepare(change)));
  assert.deepEqual(asked, [1]);
  answers[0]?.give();
  for (const prepared of await watchers)
    assert.deepEqual(shown(prepared?.document(change[0] ?? assert.fail()) ?? assert.fail()).spec, { size: 7 });
  const failing = [1, 2, 3].map(() => assert.rejects(async () => rendition.prepare([object("b", 12)]), /^Error: no$/));
  answers[1]?.fail();
  await Promise.all(failing);
  assert.deepEqual(asked, [1, 1]);
});

test("who waits for a question about more asks alone when it fails", async () => {
  const { asked, answers, convert } = slowWebhook();
  const rendition = renditionOf(kindOf("v2", true), convert);
  const [a, b] = [object("a", 11), object("b", 12)];
  const list = assert.rejects(async () => rendition.prepare([a, b]), /^Error: no$/);
  const single = rendition.prepare([a]);
  answers[0]?.fail();
  await list;
  await nextTurn();
  answers[1]?.give();
  assert.deepEqual(shown((await single)?.document(a) ?? assert.fail()).spec, { size: 7 });
  assert.deepEqual(asked, [2, 1]);
});

test("a question is bounded in bytes", async () => {
  const asked: number[] = [];
  const convert: Convert = async (to, objects) => {
    asked.push(objects.length);
    return objects.map((one) => ({ ...one, apiVersion: to.apiVersion }));
  };
  const size = "x".repeat(300 << 10);
  const items = Array.from({ length: 7 }, (_, i) => object(`n${i}`, 20 + i, { spec: { size } }));
  await renditionOf(kindOf("v2", true), convert).prepare(items);
  assert.deepEqual(asked, [3, 3, 1]);
});
