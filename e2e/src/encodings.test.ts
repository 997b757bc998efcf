import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { ObjectFormat } from "@orch/codec/negotiate.js";
import { encodeMessage } from "@orch/codec/protobuf/encode.js";
import { wrapObject } from "@orch/codec/protobuf/envelope.js";
import { createNaming } from "@orch/naming/naming.js";
import type { MessageType } from "@orch/schema/descriptor.js";
import { protobufEvents } from "./harness/event-readers.js";
import { type Answer, type Call, connect, type Http, valueAt, type WatchEncoding } from "./harness/http.js";
import { freshMaps, type Maps, versionOf } from "./harness/manifests.js";
import { assertFailure } from "./harness/status.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { encode, encodings, mediaTypesOf, read } from "./harness/wire.js";

const naming = createNaming("kubernetes");
const catalog = loadCatalog(naming);
const mediaTypes = mediaTypesOf(naming);
const meta = `g=${naming.metaGroup};v=v1`;
const always = [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf];
const withCbor = [...always, mediaTypes.cbor];

function typeOf(name: string): MessageType {
  const type = catalog.type(name);
  assert.ok(type !== undefined, name);
  return type;
}
const status = typeOf("meta/v1.Status");
const configMap = typeOf("core/v1.ConfigMap");

interface Server {
  readonly target: StandaloneTarget;
  readonly http: Http;
}

async function start(...flags: readonly string[]): Promise<Server> {
  const target = await startStandalone({ dialect: "kubernetes", args: ["--secure-port=0", ...flags] });
  return { target, http: connect(target) };
}

async function stop(server: Server | undefined): Promise<void> {
  server?.http.close();
  await server?.target.stop();
}

/** Sends a body, JSON unless its headers say otherwise. */
const send = (http: Http, method: string, path: string, more: Partial<Call>): Promise<Answer> =>
  http.call({ method, path, ...more, headers: { "content-type": mediaTypes.json, ...more.headers } });

function assertUnsupported(answer: Answer, accepted: readonly string[]): void {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  assertFailure(answer, { code: 415, reason: "UnsupportedMediaType", message });
}

function assertNotAcceptable(answer: Answer, available: readonly string[]): void {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`;
  assertFailure(answer, { code: 406, reason: "NotAcceptable", message });
}

function rowsOf(table: Answer): readonly unknown[] {
  const rows = table.at("rows");
  assert.ok(Array.isArray(rows), table.text);
  return rows;
}

/** Spec 1: Media types and headers; Behavior rules, 1 and 2. */
describe("encodings of a server without the gate for CBOR", { concurrency: 4 }, () => {
  let server: Server | undefined;
  let http: Http;
  let maps: Maps;
  before(async () => {
    server = await start();
    http = server.http;
    maps = await freshMaps(http);
    await maps.create("a", { data: { k: "v" } });
  });
  after(() => stop(server));

  const get = (accept: string, path = maps.path("a"), query = {}): Promise<Answer> =>
    http.call({ path, query, headers: { accept } });

  test("the best of an Accept list that can be given is given", async () => {
    const { json, yaml, protobuf } = mediaTypes;
    const rows: readonly (readonly [accept: string, type: string])[] = [
      [`${protobuf}, ${json}`, protobuf],
      [`${json}, ${protobuf}`, json],
      [`${json};q=0.1, ${protobuf};q=0.9, ${yaml};q=0.5`, protobuf],
      [`${protobuf};q=0, ${yaml}`, yaml],
      [`*/*;q=0.1, ${yaml};q=0.2`, yaml],
      [`${mediaTypes.cbor}, ${protobuf}`, protobuf],
      [`${json};as=Other;${meta}, ${yaml}`, yaml],
      [`${json};as=Table;g=other;v=v1, ${yaml}`, yaml],
      [`${json};as=Table;g=${naming.metaGroup};v=v9, ${yaml}`, yaml],
      [`${protobuf};as=Table;${meta}, ${json};as=Table;${meta}, ${json}`, json],
    ];
    for (const [accept, type] of rows) {
      const answer = await get(accept);
      assert.equal(answer.status, 200, `${accept}: ${answer.text}`);
      assert.equal(answer.headers["content-type"], type, accept);
    }
  });

  test("what no listed type can give is 406, with what could be given", async () => {
    const { json, protobuf, cbor } = mediaTypes;
    const refused = [
      "image/png",
      "text/*",
      cbor,
      `${json};q=0`,
      `${json};as=Other;${meta}`,
      `${json};as=Table`,
      `${json};as=Table;g=other;v=v1`,
      `${protobuf};as=Table;${meta}`,
    ];
    for (const accept of refused) {
      for (const path of [maps.path("a"), maps.path()]) assertNotAcceptable(await get(accept, path), always);
      assertNotAcceptable(await http.call({ method: "DELETE", path: maps.path("a"), headers: { accept } }), always);
    }
    assertNotAcceptable(await get(cbor, "/api/v1"), always);
    // YAML has no stream; the error is YAML, since the client reads it.
    const watch = await get(mediaTypes.yaml, maps.path(), { watch: true });
    const told = read("yaml", status, watch.bytes);
    assert.deepEqual([watch.status, told["reason"]], [406, "NotAcceptable"], watch.text);
    assert.match(String(told["message"]), /^406: Not Acceptable\n\nAvailable representations: application\/json, /);
    for (const [path, as] of [
      [maps.path("a"), "PartialObjectMetadataList"],
      [maps.path(), "PartialObjectMetadata"],
    ] as const) {
      assertFailure(await get(`${json};as=${as};${meta}`, path), { code: 406, reason: "NotAcceptable" });
    }
    assert.equal((await http.get(maps.path("a"))).status, 200, "nothing was deleted");
  });

  test("a body of another type is 415, with what is read", async () => {
    const body = encode("cbor", configMap, { metadata: { name: "b" } });
    for (const type of ["image/png", "text/plain", "application/x-www-form-urlencoded", mediaTypes.cbor, "nonsense"]) {
      const headers = { "content-type": type };
      assertUnsupported(await send(http, "POST", maps.path(), { body, headers }), always);
      assertUnsupported(await send(http, "PUT", maps.path("a"), { body, headers }), always);
      assertUnsupported(await send(http, "DELETE", maps.path("a"), { body, headers }), always);
    }
    const sent = { metadata: { name: "typed" } };
    const headers = { "content-type": `${mediaTypes.json}; charset=utf-8` };
    assert.equal((await send(http, "POST", maps.path(), { body: JSON.stringify(sent), headers })).status, 201);
    // Without a type a body is JSON.
    const untyped = { method: "POST", path: maps.path(), body: Buffer.from('{"metadata":{"name":"untyped"}}') };
    assert.equal((await http.call(untyped)).status, 201);
  });

  test("a Protobuf body that is none is 400", async () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: { k: "v".repeat(200) } };
    const whole = encode("protobuf", configMap, object);
    const raw = encodeMessage(configMap, object);
    const secret = wrapObject({ apiVersion: "v1", kind: "Secret" }, raw);
    const rows: readonly (readonly [what: string, body: Buffer, message: RegExp])[] = [
      [
        "JSON",
        Buffer.from(JSON.stringify(object)),
        /does not appear to be a protobuf message, expected prefix \[107 56 115 0\]/,
      ],
      ["another prefix", Buffer.concat([Buffer.from("k8s\x01"), whole.subarray(4)]), /expected prefix/],
      ["no envelope", raw, /expected prefix/],
      ["nothing", Buffer.alloc(0), /empty data/],
      ["the prefix alone", whole.subarray(0, 4), /empty body/],
      ["an object that is cut", wrapObject({ apiVersion: "v1", kind: "ConfigMap" }, raw.subarray(0, -3)), /ConfigMap/],
      ["another kind", secret, /^Secret in version "v1" cannot be handled as a ConfigMap/],
      ["another version", wrapObject({ apiVersion: "apps/v1", kind: "ConfigMap" }, raw), /does not match the expected/],
      ["compressed", Buffer.concat([whole, Buffer.from([0x1a, 4, ...Buffer.from("gzip")])]), /gzip/],
    ];
    const headers = { "content-type": mediaTypes.protobuf };
    for (const [what, body, message] of rows) {
      const answer = await send(http, "POST", maps.path(), { body, headers });
      assert.equal(answer.status, 400, `${what}: ${answer.text}`);
      assertFailure(answer, { code: 400, reason: "BadRequest", message });
    }
    // The last four bytes are empty fields of the envelope.
    for (let length = 5; length < whole.length - 4; length += 7) {
      const answer = await send(http, "POST", maps.path(), { body: whole.subarray(0, length), headers });
      assertFailure(answer, { code: 400, reason: "BadRequest" });
    }
    assertFailure(await http.get(maps.path("b")), { code: 404, reason: "NotFound" });
  });

  test("a Protobuf envelope may hold an object in JSON", async () => {
    const raw = Buffer.from(JSON.stringify({ metadata: { name: "inner" }, data: { k: "v" } }));
    const envelope = wrapObject({ apiVersion: "v1", kind: "ConfigMap" }, raw);
    const contentType = Buffer.from(mediaTypes.json);
    const body = Buffer.concat([envelope, Buffer.from([0x22, contentType.length]), contentType]);
    const created = await send(http, "POST", maps.path(), { body, headers: { "content-type": mediaTypes.protobuf } });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.at("data"), { k: "v" });
  });

  test("a YAML body that is none is 400", async () => {
    for (const body of ["metadata: {name: x", "a: b: c", "\t- x", "just text", "- a list"]) {
      const answer = await send(http, "POST", maps.path(), { body, headers: { "content-type": mediaTypes.yaml } });
      assertFailure(answer, { code: 400, reason: "BadRequest", message: /^the object provided is unrecognized/ });
    }
  });

  test("an error is told in the encoding that was asked for", async () => {
    const expected = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
    for (const encoding of ["yaml", "protobuf"] as const) {
      const answer = await get(mediaTypes[encoding], maps.path("none"));
      assert.equal(answer.status, 404);
      assert.equal(answer.headers["content-type"], mediaTypes[encoding]);
      const told = read(encoding, status, answer.bytes);
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(told[field], value, answer.text);
      assert.deepEqual(told["details"], { name: "none", kind: "configmaps" });
    }
    // Nor is it shown as a table.
    const asTable = await get(`${mediaTypes.json};as=Table;${meta}`, maps.path("none"));
    assertFailure(asTable, { code: 404, reason: "NotFound" });
    // What fails before the first event of a watch is one document.
    const watch = await get(`${mediaTypes.protobuf};stream=watch`, maps.path(), { watch: true, resourceVersion: "x" });
    assert.equal(watch.status, 400, watch.text);
    assert.equal(watch.headers["content-type"], mediaTypes.protobuf);
    assert.equal(read("protobuf", status, watch.bytes)["reason"], "BadRequest");
  });

  test("options of a deletion are read in every encoding", async () => {
    const { uid } = await maps.create("guarded").then((object) => object.metadata);
    const deleteOptions = typeOf("meta/v1.DeleteOptions");
    const options = (of: string) => ({ apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: of } });
    for (const encoding of ["json", "yaml", "protobuf"] as const) {
      const headers = { "content-type": mediaTypes[encoding] };
      const body = encode(encoding, deleteOptions, options("another"));
      const kept = await send(http, "DELETE", maps.path("guarded"), { body, headers });
      assertFailure(kept, {
        code: 409,
        reason: "Conflict",
        message: /the UID in the precondition \(another\) does not match/,
      });
    }
    const body = encode("protobuf", deleteOptions, options(uid ?? ""));
    const headers = { "content-type": mediaTypes.protobuf, accept: mediaTypes.protobuf };
    const gone = await send(http, "DELETE", maps.path("guarded"), { body, headers });
    assert.equal(read("protobuf", status, gone.bytes)["status"], "Success", gone.text);
  });

  test("a table is what a list, a read or a write is shown as, with as much of its objects as asked", async () => {
    const own = await freshMaps(http);
    for (const name of ["a", "b", "c"]) await own.create(name, { data: { name } });
    const accept = `${mediaTypes.json};as=Table;${meta}, ${mediaTypes.json}`;
    const objects: readonly (readonly [include: string, kind: string | undefined, data: boolean])[] = [
      ["", "PartialObjectMetadata", false],
      ["Metadata", "PartialObjectMetadata", false],
      ["Object", "ConfigMap", true],
      ["None", undefined, false],
    ];
    for (const [includeObject, kind, data] of objects) {
      const list = await get(accept, own.path(), { includeObject });
      assert.equal(rowsOf(list).length, 3, list.text);
      assert.equal(list.at("rows.0.object.kind"), kind);
      assert.equal(list.at("rows.0.object.data.name"), data ? "a" : undefined);
    }
    assertFailure(await get(accept, own.path(), { includeObject: "All" }), { code: 400, reason: "BadRequest" });
    const page = await get(accept, own.path(), { limit: 2 });
    assert.deepEqual([rowsOf(page).length, page.at("metadata.remainingItemCount")], [2, 1]);
    const rest = await get(accept, own.path(), { limit: 2, continue: String(page.at("metadata.continue")) });
    assert.deepEqual([rest.at("rows.0.cells.0"), rest.at("metadata.continue")], ["c", undefined]);
    const inYaml = await get(`${mediaTypes.yaml};as=Table;${meta}`, own.path());
    assert.match(inYaml.text, /^kind: Table$/m);
    const older = await get(`${mediaTypes.json};as=Table;g=${naming.metaGroup};v=v1beta1`, own.path());
    assert.equal(older.at("apiVersion"), `${naming.metaGroup}/v1beta1`);
    const created = await send(http, "POST", own.path(), { body: '{"metadata":{"name":"d"}}', headers: { accept } });
    assert.deepEqual([created.status, created.at("kind"), created.at("rows.0.cells.0")], [201, "Table", "d"]);
    const deleted = await send(http, "DELETE", own.path("d"), { headers: { accept } });
    assert.deepEqual([deleted.status, deleted.at("kind")], [200, "Status"], deleted.text);
    // Discovery has no tables: the next of the list is given.
    assert.equal((await get(accept, "/api/v1")).at("kind"), "APIResourceList");
  });

  test("a watch tells tables, or metadata alone, in the encodings that have them", async () => {
    const own = await freshMaps(http);
    const { json, protobuf } = mediaTypes;
    const partial = `as=PartialObjectMetadata;${meta}`;
    const protobufForm: WatchEncoding = {
      accept: `${protobuf};stream=watch;${partial}`,
      contentType: `${protobuf};stream=watch`,
      read: protobufEvents(typeOf("meta/v1.PartialObjectMetadata")),
    };
    const [tables, inJson, inProtobuf] = [
      await http.watch(own.path(), {}, { accept: `${json};as=Table;${meta}` }),
      await http.watch(own.path(), {}, { accept: `${json};${partial}` }),
      await http.watch(own.path(), {}, protobufForm),
    ];
    const made = await own.create("w", { labels: { a: "b" }, data: { k: "v" } });
    const changed = await own.change(made, { k: "w", l: "x" });
    await own.remove("w");
    const types = ["ADDED", "MODIFIED", "DELETED"];
    const rows = await tables.take(3);
    assert.deepEqual(
      rows.map((e) => e.type),
      types,
    );
    assert.deepEqual(
      rows.map((e) => valueAt(e.object, "rows.0.cells.0")),
      ["w", "w", "w"],
    );
    assert.deepEqual(
      rows.map((e) => valueAt(e.object, "rows.0.cells.1")),
      [1, 2, 2],
    );
    assert.deepEqual(valueAt(rows[0]?.object, "columnDefinitions.0.name"), "Name");
    const laterColumns = rows.slice(1).map((e) => valueAt(e.object, "columnDefinitions"));
    assert.deepEqual(laterColumns, [null, null], "columns are told once");
    const resourceVersion = versionOf(made);
    const late = await http.watch(own.path(), { resourceVersion }, { accept: `${json};as=Table;${meta}` });
    const missed = (await late.take(2)).map((e) => valueAt(e.object, "columnDefinitions.0.name"));
    assert.deepEqual(missed, ["Name", undefined]);
    late.close();
    for (const watch of [inJson, inProtobuf]) {
      const events = await watch.take(3);
      assert.deepEqual(
        events.map((e) => e.type),
        types,
      );
      assert.deepEqual(
        events.map((e) => e.object.kind),
        types.map(() => "PartialObjectMetadata"),
      );
      assert.deepEqual(events[0]?.object.metadata, made.metadata);
      assert.deepEqual(events[1]?.object.metadata, changed.metadata);
      assert.equal(events[0]?.object["data"], undefined);
    }
    for (const watch of [tables, inJson, inProtobuf]) watch.close();
  });

  test("a streaming list ends with its bookmark in Protobuf, too", async () => {
    const own = await freshMaps(http);
    await own.create("a");
    const { protobuf } = mediaTypes;
    const query = { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: "NotOlderThan" };
    const watch = await http.watch(own.path(), query, { accept: protobuf, read: protobufEvents(configMap) });
    const [added, bookmark] = await watch.take(2);
    assert.deepEqual([added?.type, added?.object.metadata.name, bookmark?.type], ["ADDED", "a", "BOOKMARK"]);
    assert.equal(bookmark?.object.kind, "ConfigMap");
    assert.equal(bookmark?.object.metadata.annotations?.[naming.initialEventsEnd], "true");
    watch.close();
  });
});

describe("encodings of a server with the gate for CBOR", { concurrency: 4 }, () => {
  let server: Server | undefined;
  let http: Http;
  before(async () => {
    server = await start("--feature-gates=CBORServingAndStorage=true");
    http = server.http;
  });
  after(() => stop(server));

  test("a request is read in one encoding and answered in another, whichever they are", async () => {
    const maps = await freshMaps(http);
    let version: ApiObject | undefined;
    for (const [i, sent] of encodings.entries()) {
      for (const [j, asked] of encodings.entries()) {
        const object = {
          ...{ apiVersion: "v1", kind: "ConfigMap" },
          metadata: { name: `m-${i}-${j}`, labels: { sent, asked } },
          data: { text: 'ñ 漢字 🜚 "\n', empty: "" },
          binaryData: { bytes: "AAECA/8=" },
        };
        const headers = { "content-type": mediaTypes[sent], accept: mediaTypes[asked] };
        const answer = await http.call({
          method: "POST",
          path: maps.path(),
          body: encode(sent, configMap, object),
          headers,
        });
        assert.equal(answer.status, 201, `${sent} to ${asked}: ${answer.text}`);
        assert.equal(answer.headers["content-type"], mediaTypes[asked]);
        const { metadata, ...rest } = read(asked, configMap, answer.bytes);
        const { metadata: _sent, ...expected } = object;
        assert.deepEqual(rest, expected, `${sent} to ${asked}`);
        assert.deepEqual(valueAt(metadata, "labels"), { sent, asked });
        version = (await http.get(maps.path(object.metadata.name))).object();
        assert.deepEqual(version.metadata, metadata);
      }
    }
  });

  test("CBOR is among what is read and given, errors in it, too", async () => {
    const maps = await freshMaps(http);
    assertNotAcceptable(await http.call({ path: maps.path(), headers: { accept: "image/png" } }), withCbor);
    const other = { body: "x", headers: { "content-type": "image/png" } };
    assertUnsupported(await send(http, "POST", maps.path(), other), withCbor);
    const missing = await http.call({ path: maps.path("none"), headers: { accept: mediaTypes.cbor } });
    assert.equal(missing.status, 404);
    assert.equal(missing.headers["content-type"], mediaTypes.cbor);
    assert.equal(read("cbor", status, missing.bytes)["reason"], "NotFound");
    const headers = { accept: "application/cbor-seq" };
    assertFailure(await http.call({ path: maps.path(), query: { watch: true }, headers }), {
      code: 406,
      reason: "NotAcceptable",
    });
  });

  test("a CBOR body that is none is 400", async () => {
    const maps = await freshMaps(http);
    const whole = encode("cbor", configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } });
    const bodies: Readonly<Record<string, Buffer>> = {
      JSON: Buffer.from('{"metadata":{"name":"b"}}'),
      nothing: Buffer.alloc(0),
      cut: whole.subarray(0, -1),
      "more than one item": Buffer.concat([whole, whole]),
      "a list": Buffer.from([0x80]),
      "an unknown tag": Buffer.from([0xc1, 0xa0]),
      "a key that is a number": Buffer.from([0xa1, 0x01, 0x02]),
      "an endless map": Buffer.from([0xbf]),
    };
    for (const [what, body] of Object.entries(bodies)) {
      const answer = await send(http, "POST", maps.path(), { body, headers: { "content-type": mediaTypes.cbor } });
      assert.equal(answer.status, 400, `${what}: ${answer.text}`);
      assertFailure(answer, { code: 400, reason: "BadRequest" });
    }
    assert.equal((await http.get(maps.path())).items().length, 0);
  });

  test("unknown and repeated fields are told apart by fieldValidation in each encoding that has them", async () => {
    const maps = await freshMaps(http);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd" }, odd: 1 };
    const textual: readonly ObjectFormat[] = ["json", "yaml", "cbor"];
    for (const encoding of textual) {
      const headers = { "content-type": mediaTypes[encoding] };
      const body = encode(encoding, configMap, object);
      const strict = await send(http, "POST", maps.path(), { body, headers, query: { fieldValidation: "Strict" } });
      assertFailure(strict, {
        code: 400,
        reason: "BadRequest",
        message: /strict decoding error: unknown field "odd"$/,
      });
      const query = { fieldValidation: "Warn", dryRun: "All" };
      const warned = await send(http, "POST", maps.path(), { body, headers, query });
      assert.deepEqual(
        [warned.status, warned.headers["warning"]],
        [201, '299 - "unknown field \\"odd\\""'],
        warned.text,
      );
    }
  });
});
