import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Kind } from "@orch/api/catalog.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import type { ObjectFormat } from "@orch/codec/negotiate.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { cborEvents, protobufEvents } from "./harness/event-readers.js";
import { type Answer, type Http, valueAt, type WatchEncoding, withValueAt } from "./harness/http.js";
import { hasSettled, type Manifest } from "./harness/manifest-files.js";
import { nameOf } from "./harness/manifests.js";
import {
  catalog,
  kindOf,
  kinds,
  naming,
  pathOfKind,
  removeObject,
  type Served,
  serveEverything,
  unattended,
  versionsOf,
} from "./harness/served-kinds.js";
import { until } from "./harness/until.js";
import type { WatchStream } from "./harness/watch-stream.js";
import { comparable, encode, encodings, mediaTypesOf, read } from "./harness/wire.js";

const mediaTypes = mediaTypesOf(naming);
const table = `application/json;as=Table;g=${naming.metaGroup};v=v1`;
const partialList = `as=PartialObjectMetadataList;g=${naming.metaGroup};v=v1`;

let served: Served;
let http: Http;
before(async () => {
  served = await serveEverything();
  http = served.http;
});
after(async () => {
  http.close();
  await served.target.stop();
});

test("there is a manifest of every kind that is stored, and for each status one to set", () => {
  const stored = catalog.storedKinds().filter((hub) => versionsOf(hub).some(({ verbs }) => verbs.includes("create")));
  const given = kinds.map(kindOf);
  const titles = (of: readonly Kind[]): readonly string[] => of.map((k) => `${k.group} ${k.kind}`).sort();
  assert.deepEqual(titles(given.map((k) => k.hub)), titles(stored));
  const withStatus = given.filter((kind) => kind.subresources.some((s) => s.name === "status"));
  const statuses = kinds.filter((manifest) => manifest.status !== undefined).map(kindOf);
  assert.deepEqual(titles(statuses), titles(withStatus));
});

describe("every kind", { concurrency: 4 }, () => {
  for (const [i, manifest] of kinds.entries()) {
    const { apiVersion, kind } = manifest.object;
    test(`${kind} ${apiVersion} in every version and encoding`, async () => {
      const watches = await watchesOf(kindOf(manifest));
      try {
        await lifeOf(manifest, i);
        for (const watch of watches) await tellsLife(watch, manifest.object.metadata.name);
      } finally {
        for (const watch of watches) watch.close();
      }
    });
  }
});

/** `turn` chooses the encodings of the bodies that are sent. */
async function lifeOf(manifest: Manifest, turn: number): Promise<void> {
  const kind = kindOf(manifest);
  const versions = versionsOf(kind.hub);
  const { name } = manifest.object.metadata;
  const created = await send("POST", { kind, object: manifest.object, encoding: encodingAt(turn) });
  assert.equal(created.status, 201, created.text);
  await until("the server's own word of it", async () => {
    const { status } = { status: undefined, ...(await http.get(pathOfKind(kind, name))).object() };
    return unattended.has(kind.kind) || hasSettled(kind, JSON.stringify(status ?? {})) || undefined;
  });
  const copies = await Promise.all(
    versions.map(async (version) => (await http.get(pathOfKind(version, name))).object()),
  );
  for (const version of versions) await readEverywhere(version, name);
  for (const [i, version] of versions.entries()) await putUnchanged(version, name, encodingAt(turn + 1 + i));
  await showAsTable(kind, name);
  await change(manifest, encodingAt(turn + 2));
  if (manifest.status !== undefined) await separateStatus(manifest, encodingAt(turn + 3));
  await remove(kind, name);
  if (versions.length === 1 || takesNoOldForm.has(kind.kind)) return;
  for (const [i, version] of versions.entries()) {
    const { metadata, ...rest } = copies[i] ?? created.object();
    // What a version has no fields for stands in annotations.
    const { annotations = {}, labels = {} } = metadata;
    const copy = { ...rest, metadata: { name, annotations, labels } };
    await comesBack({ version, kind, copy, original: created.object() });
  }
}

/** Of these a newer version refuses to create what an older one may. */
const takesNoOldForm: ReadonlySet<string> = new Set(["Event"]);

interface Copy {
  readonly version: Kind;
  readonly kind: Kind;
  readonly copy: JsonObject;
  readonly original: ApiObject;
}

/** What a version shows of an object makes the same object again (rules: Deprecation rules, 2). */
async function comesBack({ version, kind, copy, original }: Copy): Promise<void> {
  const { name = "" } = original.metadata;
  const again = await send("POST", { kind: version, object: copy, encoding: "json" });
  assert.equal(again.status, 201, `${version.apiVersion}: ${again.text}`);
  const read = (await http.get(pathOfKind(kind, name))).object();
  assert.deepEqual({ ...read, metadata: undefined }, { ...original, metadata: undefined }, version.apiVersion);
  await remove(kind, name);
}

function encodingAt(turn: number): ObjectFormat {
  return encodings[turn % encodings.length] ?? "json";
}

interface Sent {
  readonly kind: Kind;
  readonly object: JsonObject;
  readonly encoding: ObjectFormat;
  readonly subresource?: string;
  /** JSON where absent. */
  readonly accept?: ObjectFormat;
}

/** A body in one of the encodings. */
function send(method: "POST" | "PUT", { kind, object, encoding, subresource, accept = "json" }: Sent): Promise<Answer> {
  const name = String(valueAt(object, "metadata.name"));
  return http.call({
    method,
    path: method === "POST" ? pathOfKind(kind) : pathOfKind(kind, name, subresource),
    query: { fieldValidation: "Strict" },
    headers: { "content-type": mediaTypes[encoding], accept: mediaTypes[accept] },
    body: encode(encoding, kind.type, object),
  });
}

/** An object, or a list of its kind, is the same in each encoding. */
async function readEverywhere(kind: Kind, name: string): Promise<void> {
  const list = pathOfKind(kind);
  const resourceVersion = String((await http.get(list)).at("metadata.resourceVersion"));
  const shown = [
    { path: pathOfKind(kind, name), type: kind.type, query: {} },
    // Other tests write at the same time: a version that stays.
    { path: list, type: kind.listType, query: { resourceVersion, resourceVersionMatch: "Exact" } },
  ];
  for (const { path, type, query } of shown) {
    const json = read("json", type, (await http.get(path, query)).bytes);
    assert.equal(json["apiVersion"], kind.apiVersion);
    for (const encoding of encodings) {
      const answer = await http.call({ path, query, headers: { accept: mediaTypes[encoding] } });
      assert.equal(answer.status, 200, `${path} in ${encoding}: ${answer.text}`);
      assert.equal(answer.headers["content-type"], mediaTypes[encoding]);
      assert.deepEqual(read(encoding, type, answer.bytes), comparable(encoding, type, json), `${path} in ${encoding}`);
    }
  }
}

/** What was read through a version can be sent back and changes nothing (rules: Deprecation rules, 2). */
async function putUnchanged(kind: Kind, name: string, encoding: ObjectFormat): Promise<void> {
  const where = `${kind.apiVersion} in ${encoding}`;
  const before = await http.get(pathOfKind(kind, name));
  const put = await send("PUT", { kind, object: before.object(), encoding, accept: encoding });
  assert.equal(put.status, 200, `${where}: ${put.text}`);
  const answer = read(encoding, kind.type, put.bytes);
  assert.deepEqual(answer, comparable(encoding, kind.type, before.object()), where);
  assert.deepEqual((await http.get(pathOfKind(kind, name))).json(), before.json(), where);
}

/** Tables and metadata alone, of the list and of one object (rules: Table representation). */
async function showAsTable(kind: Kind, name: string): Promise<void> {
  const { metadata } = (await http.get(pathOfKind(kind, name))).object();
  for (const path of [pathOfKind(kind), pathOfKind(kind, name)]) {
    const answer = await http.call({ path, headers: { accept: table } });
    assert.equal(answer.at("kind"), "Table", answer.text);
    const [columns, rows] = [answer.at("columnDefinitions"), answer.at("rows")];
    assert.ok(Array.isArray(columns) && Array.isArray(rows));
    assert.ok(columns.length > 0 && columns.every((c) => isRecord(c) && c["name"] !== "" && c["type"] !== ""));
    const row: unknown = rows.find((r) => valueAt(r, "object.metadata.name") === name);
    const cells = valueAt(row, "cells");
    assert.ok(Array.isArray(cells), `${path}: ${answer.text}`);
    assert.equal(cells.length, columns.length, answer.text);
    if (valueAt(columns, "0.name") === "Name") assert.equal(cells[0], name);
    assert.deepEqual(valueAt(row, "object.metadata"), metadata);
  }
  for (const encoding of encodings) {
    const accept = `${mediaTypes[encoding]};${partialList}`;
    const answer = await http.call({ path: pathOfKind(kind), headers: { accept } });
    const type = catalog.type("meta/v1.PartialObjectMetadataList");
    assert.ok(type !== undefined);
    const list = read(encoding, type, answer.bytes);
    assert.equal(list["kind"], "PartialObjectMetadataList", answer.text);
    const { items } = list;
    assert.ok(Array.isArray(items));
    const item: unknown = items.find((i) => valueAt(i, "metadata.name") === name);
    assert.deepEqual(valueAt(item, "metadata"), metadata, `${accept}: ${answer.text}`);
  }
}

async function change(manifest: Manifest, encoding: ObjectFormat): Promise<void> {
  const kind = kindOf(manifest);
  const old = await http.get(pathOfKind(kind, manifest.object.metadata.name));
  const labels = { ...old.object().metadata.labels, changed: "yes" };
  const wanted = Object.entries({ ...manifest.change, "metadata.labels": labels });
  const object = wanted.reduce<unknown>((changed, [path, value]) => withValueAt(changed, path, value), old.json());
  assert.ok(isRecord(object));
  const put = await send("PUT", { kind, object, encoding });
  assert.equal(put.status, 200, put.text);
  assert.notEqual(put.at("metadata.resourceVersion"), old.at("metadata.resourceVersion"));
  for (const [path, value] of wanted) assertPart(put.at(path), value, path);
}

/** At release 1.32 their writes take the status with the rest. */
const statusFromBody: ReadonlySet<string> = new Set(["ServiceCIDR"]);

/** A write of an object leaves its status, a write of its status all else (issue of the catalog: Subresources). */
async function separateStatus(manifest: Manifest, encoding: ObjectFormat): Promise<void> {
  const kind = kindOf(manifest);
  const { status = {} } = manifest;
  const { status: oldStatus, ...old } = (await http.get(pathOfKind(kind, manifest.object.metadata.name))).object();
  const main = await send("PUT", { kind, object: { ...old, status }, encoding });
  assert.equal(main.status, 200, main.text);
  const kept = statusFromBody.has(kind.kind) ? status : oldStatus;
  assert.deepEqual(main.at("status"), kept, "a write of the object left its status");

  const { status: _status, metadata: _metadata, ...rest } = main.object();
  const changes = Object.entries(manifest.change);
  const other = changes.reduce<unknown>((o, [path]) => withValueAt(o, path, originalAt(manifest, path)), main.json());
  const object = withValueAt(other, "status", { ...(isRecord(oldStatus) ? oldStatus : {}), ...status });
  assert.ok(isRecord(object));
  const written = await send("PUT", { kind, object, encoding, subresource: "status" });
  assert.equal(written.status, 200, written.text);
  const { status: newStatus, metadata: _newMetadata, ...newRest } = written.object();
  assertPart(newStatus, status, "status");
  assert.deepEqual(newRest, rest, "a write of the status left the rest");
  assert.deepEqual((await http.get(pathOfKind(kind, manifest.object.metadata.name, "status"))).json(), written.json());
}

const originalAt = (manifest: Manifest, path: string): unknown => valueAt(manifest.object, path);

const remove = (kind: Kind, name: string): Promise<void> => removeObject(http, kind, name);

/** Whether everything that `part` says stands in `whole`, too. */
function assertPart(whole: unknown, part: unknown, at: string): void {
  if (Array.isArray(part) && part.length === 0) assert.deepEqual(whole ?? [], part, at);
  else if (Array.isArray(part)) {
    assert.ok(Array.isArray(whole) && whole.length === part.length, `${at}: ${JSON.stringify(whole)}`);
    for (const [i, item] of part.entries()) assertPart(whole[i], item, `${at}.${i}`);
  } else if (isRecord(part)) {
    assert.ok(isRecord(whole), `${at}: ${JSON.stringify(whole)}`);
    for (const [name, value] of Object.entries(part)) assertPart(whole[name], value, `${at}.${name}`);
  } else assert.deepEqual(whole, part, at);
}

/** A watch of the collection in each encoding that has one. */
async function watchesOf(kind: Kind): Promise<readonly WatchStream[]> {
  const path = pathOfKind(kind);
  const resourceVersion = String((await http.get(path)).at("metadata.resourceVersion"));
  const { protobuf } = mediaTypes;
  const forms: readonly (WatchEncoding | undefined)[] = [
    undefined,
    { accept: protobuf, contentType: `${protobuf};stream=watch`, read: protobufEvents(kind.type) },
    { accept: mediaTypes.cbor, contentType: "application/cbor-seq", read: cborEvents },
  ];
  return Promise.all(forms.map((form) => http.watch(path, { resourceVersion }, form)));
}

/** The object's events, up to its deletion, in one watch. */
async function tellsLife(watch: WatchStream, name: string): Promise<void> {
  const types: string[] = [];
  while (types.at(-1) !== "DELETED") {
    const event = await watch.next();
    assert.ok(event !== undefined, `the watch ended after ${types}`);
    if (nameOf(event.object) === name) types.push(event.type);
  }
  assert.equal(types[0], "ADDED");
  assert.ok(types.slice(1, -1).every((type) => type === "MODIFIED") && types.length > 2, String(types));
}
