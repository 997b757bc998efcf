import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { printStored } from "@orch/codec/stored-object.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Form, formText, parseForm, plainForm } from "@orch/render/form.js";
import { type LargePrint, printLarge } from "@orch/render/large-print.js";
import { createRenderers } from "@orch/render/renderers.js";
import { createBodyReader } from "@orch/render/testing/read-body.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { createLabelPool } from "../label-pool.js";
import { type CachedObject, cachedObject } from "../object.js";
import { noWebhook } from "../testing/no-webhook.js";
import type { Rendition } from "./rendition.js";
import { createRenditions, type RenditionOptions } from "./renditions.js";

const naming = createNaming("orch");
const catalog = loadCatalog(naming);
const reader = createBodyReader(catalog);
const taken = { labels: createLabelPool(), heads: undefined, fields: undefined };
const now = Date.parse("2026-01-02T03:04:05Z");

function renditions(options: Partial<RenditionOptions> = {}) {
  return createRenditions({
    catalog,
    metaGroup: naming.metaGroup,
    wallClock: () => now,
    hotBytes: 1e6,
    convert: noWebhook,
    ...options,
  });
}

function kindOf(apiVersion: string, kind: string): Kind {
  const found = catalog.kind(apiVersion, kind);
  assert.ok(found, `${apiVersion} ${kind}`);
  return found;
}

function cached(kind: Kind, revision: number, tree: AnyObject & { metadata: { name: string } }): CachedObject {
  return cachedObject(tree.metadata.name, { value: printStored(kind.hub, tree), revision }, taken);
}

/** Encodings, versions and forms of one kind: stored, only named otherwise, converted, and what is made of it. */
const leases = ["v1", "v1beta1"].map((version) => kindOf(`coordination.orch/${version}`, "Lease"));
const slices = ["v1", "v1beta1"].map((version) => kindOf(`discovery.orch/${version}`, "EndpointSlice"));
const kinds = [...leases, ...slices];
const forms: readonly string[] = [
  "",
  "protobuf",
  "cbor",
  "json;PartialObjectMetadata;v1",
  "protobuf;PartialObjectMetadata;v1",
  "cbor;PartialObjectMetadata;v1beta1",
  "json;Table;v1;Metadata",
  "json;Table;v1;None",
  "json;Table;v1;Object",
];

function objectsOf(kind: Kind): readonly CachedObject[] {
  const content = kind.kind === "Lease" ? { spec: {} } : { addressType: "IPv4", endpoints: [], ports: [] };
  return ["a", "b"].map((name, i) =>
    cached(kind, 7 + i, { metadata: { name, creationTimestamp: "2026-01-02T03:00:00Z" }, ...content }),
  );
}

function formOf(text: string): Form {
  const form = parseForm(text);
  assert.ok(form);
  return form;
}

interface Told {
  readonly kind: unknown;
  readonly apiVersion: unknown;
  readonly names: readonly unknown[];
  /** resourceVersions; none in rows without objects. */
  readonly versions: readonly unknown[];
}

/** What a body tells of its type and its objects. */
function told(form: Form, body: JsonObject): Told {
  const { kind, apiVersion } = body;
  const shown: unknown = body[form.as === "Table" ? "rows" : "items"] ?? [body];
  assert.ok(Array.isArray(shown));
  if (form.as !== "Table") return { kind, apiVersion, names: shown.map(nameOf), versions: shown.map(versionOf) };
  const objects = form.includeObject === "None" ? [] : shown.map((row) => row.object);
  return { kind, apiVersion, names: shown.map((row) => row.cells[0]), versions: objects.map(versionOf) };
}

function nameOf(object: AnyObject): unknown {
  return object.metadata.name;
}

function versionOf(object: AnyObject): unknown {
  return object.metadata.resourceVersion;
}

interface Expected {
  readonly names: readonly string[];
  readonly versions: readonly number[];
  readonly list: boolean;
}

function typed(kind: Kind, form: Form, { names, versions, list }: Expected): Told {
  const texts = form.as === "Table" && form.includeObject === "None" ? [] : versions.map(String);
  if (form.as === "Object") {
    return { kind: list ? kind.listKind : kind.kind, apiVersion: kind.apiVersion, names, versions: texts };
  }
  const suffix = list && form.as !== "Table" ? "List" : "";
  return { kind: `${form.as}${suffix}`, apiVersion: `meta.orch/${form.metaVersion}`, names, versions: texts };
}

for (const kind of kinds) {
  for (const text of forms) {
    const form = formOf(text);
    const rendition = renditions().of(kind, text);
    const [a, b] = objectsOf(kind);
    assert.ok(a && b);

    test(`${kind.apiVersion} ${kind.kind} as ${text || "json"}: one object and a list of them`, () => {
      const document = reader.body(form.encoding, rendition.document(a));
      assert.deepEqual(told(form, document), typed(kind, form, { names: ["a"], versions: [7], list: false }));
      for (const items of [[], [a], [a, b]]) {
        const list = { resourceVersion: 42, items, continueToken: "t", remainingItemCount: 3 };
        const body = reader.body(form.encoding, Buffer.concat([...rendition.list(list).chunks]));
        const names = items.map(({ key }) => key);
        const versions = items.map(({ revision }) => revision);
        // Protobuf has no empty lists.
        const shown = form.encoding === "protobuf" ? { items: [], ...body } : body;
        assert.deepEqual(told(form, shown), typed(kind, form, { names, versions, list: true }));
        assert.deepEqual(body["metadata"], { resourceVersion: "42", continue: "t", remainingItemCount: 3 });
      }
    });

    test(`${kind.apiVersion} ${kind.kind} as ${text || "json"}: events, of a deletion with its own version`, () => {
      const before = rendition.document(a).toString("latin1");
      const events = [
        ["ADDED", 7],
        ["MODIFIED", 7],
        ["DELETED", 12_345],
      ] as const;
      for (const [type, revision] of events) {
        const event = reader.event(form.encoding, rendition.event(type, a, revision));
        assert.equal(event.type, type);
        const wanted = typed(kind, form, { names: ["a"], versions: [revision], list: false });
        assert.deepEqual(told(form, event.object), wanted);
      }
      assert.equal(rendition.document(a).toString("latin1"), before, "the object itself is as it was");
    });

    test(`${kind.apiVersion} ${kind.kind} as ${text || "json"}: bookmarks and errors`, () => {
      const plain = reader.event(form.encoding, rendition.bookmark(9));
      assert.equal(plain.type, "BOOKMARK");
      assert.deepEqual(plain.object["metadata"], { resourceVersion: "9" });
      const last = reader.event(form.encoding, rendition.bookmark(9, naming.initialEventsEnd));
      const annotations = { [naming.initialEventsEnd]: "true" };
      assert.deepEqual(last.object["metadata"], { resourceVersion: "9", annotations });
      const ended = reader.event(form.encoding, rendition.bookmark(9, naming.initialEventsEnd, "empty"));
      const { annotations: of } = Object(ended.object["metadata"]);
      const empty = reader.body(form.encoding, Buffer.from(of.empty, "base64"));
      const wanted = typed(kind, form, { names: [], versions: [], list: true });
      assert.deepEqual(told(form, form.encoding === "protobuf" ? { items: [], ...empty } : empty), wanted);
      const status = {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        reason: "Expired",
        code: 410,
      };
      assert.deepEqual(reader.event(form.encoding, rendition.error(status)), { type: "ERROR", object: status });
    });
  }
}

test("a get of the stored version is the cached bytes themselves", () => {
  const [lease] = leases;
  assert.ok(lease);
  const [a] = objectsOf(lease);
  assert.ok(a);
  assert.equal(renditions().of(lease, "").document(a), a.bytes);
});

test("a version that only its name tells from the stored one is the cached bytes behind another apiVersion", () => {
  const [stored, renamed] = leases;
  assert.ok(stored && renamed);
  const [a] = objectsOf(stored);
  assert.ok(a);
  const text = a.bytes.toString().replace("coordination.orch/v1", "coordination.orch/v1beta1");
  assert.equal(renditions().of(renamed, "").document(a).toString(), text);
  assert.notEqual(renditions().of(stored, "").id, renditions().of(renamed, "").id);
});

test("a kind and form have one rendition, so that watchers of one interest share it; another form has another id", () => {
  const all = renditions();
  const made = kinds.flatMap((kind) => forms.map((form) => all.of(kind, form)));
  assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
  const again = kinds.flatMap((kind) => forms.map((form) => all.of(kind, formText({ ...plainForm, ...formOf(form) }))));
  assert.ok(again.every((rendition, i) => rendition === made[i]));
});

test("a subresource that shows the object itself shows the same", () => {
  const deployments = kindOf("apps/v1", "Deployment");
  const all = renditions();
  for (const form of forms) assert.equal(all.of(deployments, form, "status"), all.of(deployments, form));
});

test("a text that is no form is a 400", () => {
  const [lease] = leases;
  assert.ok(lease);
  assert.throws(() => renditions().of(lease, "xml"), { reason: "BadRequest", code: 400 });
});

/** A rendition of tables of a kind that counts how often a row is made of an object. */
function counted(hotBytes: number): { readonly rendition: Rendition; readonly made: readonly string[] } {
  const made: string[] = [];
  const maps = kindOf("v1", "ConfigMap");
  const { table } = maps;
  const counting: Kind = {
    ...maps,
    table: {
      columns: table.columns,
      row(object) {
        made.push(object.metadata.name ?? "");
        return table.row(object);
      },
    },
  };
  return { rendition: renditions({ hotBytes }).of(counting, "json;Table;v1;None"), made };
}

const maps = ["a", "b", "c"].map((name) => cached(kindOf("v1", "ConfigMap"), 7, { metadata: { name } }));

test("what is asked for again is made once, while it is hot", () => {
  const { rendition, made } = counted(1e6);
  const list = { resourceVersion: 9, items: maps, continueToken: "", remainingItemCount: undefined };
  for (let i = 0; i < 3; i++) {
    for (const map of maps) rendition.document(map);
    assert.equal([...rendition.list(list).chunks].length, 1);
    for (const map of maps) rendition.event("ADDED", map, map.revision);
  }
  assert.deepEqual(made, ["a", "b", "c"]);
});

test("what happens now is made once for all who watch it, and is not kept", () => {
  const { rendition, made } = counted(1e6);
  const [a, b] = maps;
  assert.ok(a && b);
  for (const map of [a, a, b, b, a]) rendition.liveEvent("MODIFIED", map, map.revision);
  assert.deepEqual(made, ["a", "b", "a"]);
  assert.deepEqual(rendition.liveEvent("ADDED", a, 7), rendition.event("ADDED", a, 7));
  rendition.document(b);
  rendition.liveEvent("ADDED", b, 7);
  assert.deepEqual(made, ["a", "b", "a", "a", "b"], "one that is hot is taken from there");
});

test("a new revision of an object is made anew", () => {
  const { rendition, made } = counted(1e6);
  const newer = cached(kindOf("v1", "ConfigMap"), 8, { metadata: { name: "a" }, data: { k: "v" } });
  const cells = (object: CachedObject): unknown => JSON.parse(rendition.document(object).toString()).rows[0].cells;
  const [a] = maps;
  assert.ok(a);
  assert.deepEqual(
    [cells(a), cells(newer), cells(a)].map((row) => (Array.isArray(row) ? row[1] : row)),
    [0, 1, 0],
  );
  assert.deepEqual(made, ["a", "a"]);
});

test("what was made of one history is not shown for another that has the same revisions", () => {
  const all = renditions();
  const rendition = all.of(kindOf("v1", "ConfigMap"), "protobuf");
  const [before, after] = ["before", "after"].map((k) =>
    cached(kindOf("v1", "ConfigMap"), 7, { metadata: { name: "a" }, data: { k } }),
  );
  assert.ok(before && after);
  const data = (object: CachedObject): unknown => reader.body("protobuf", rendition.document(object))["data"];
  assert.deepEqual(data(before), { k: "before" });
  all.forget();
  assert.deepEqual(data(after), { k: "after" });
});

test("what is hot stays within its bytes: the longest unused goes first", () => {
  const [a, b, c] = maps;
  assert.ok(a && b && c);
  // Room for two rows of about 300 bytes and what they take besides.
  const { rendition, made } = counted(2000);
  for (const map of [a, b, a, c, a, b]) rendition.document(map);
  assert.deepEqual(made, ["a", "b", "c", "b"]);
});

test("what is larger than all that may be hot is made each time and displaces nothing", () => {
  const { rendition, made } = counted(10);
  const [a] = maps;
  assert.ok(a);
  rendition.document(a);
  rendition.document(a);
  assert.deepEqual(made, ["a", "a"]);
});

test("ages in tables are told by the wall clock, of hot rows too, in gets, lists and events", () => {
  let time = Date.parse("2026-01-02T03:04:05Z");
  const rendition = renditions({ wallClock: () => time }).of(kindOf("v1", "ConfigMap"), "json;Table;v1;None");
  const object = cached(kindOf("v1", "ConfigMap"), 7, {
    metadata: { name: "a", creationTimestamp: "2026-01-02T03:04:00Z" },
  });
  const age = (table: { rows: { cells: unknown[] }[] }): unknown => table.rows[0]?.cells[2];
  const ages = (): readonly unknown[] => [
    age(JSON.parse(rendition.document(object).toString())),
    age(
      JSON.parse(
        Buffer.concat([
          ...rendition.list({ resourceVersion: 9, items: [object], continueToken: "", remainingItemCount: undefined })
            .chunks,
        ]).toString(),
      ),
    ),
    age(JSON.parse(rendition.event("ADDED", object, 7).toString()).object),
  ];
  assert.deepEqual(ages(), ["5s", "5s", "5s"]);
  time += 10_000;
  assert.deepEqual(ages(), ["15s", "15s", "15s"]);
  time += 3 * 3_600_000;
  assert.deepEqual(ages(), ["3h", "3h", "3h"]);
});

test("metadata alone is made of the metadata's bytes: what stands beside it is not read", () => {
  const [kind] = leases;
  assert.ok(kind);
  const whole = cached(kind, 7, { metadata: { name: "a", labels: { x: '}{"' } }, spec: { holderIdentity: "me" } });
  // Where the metadata ends, in the bytes.
  const end = whole.bytes.indexOf(',"spec"');
  const bytes = Buffer.from(whole.bytes);
  bytes.fill("?", end, bytes.length - 1);
  const form = formText({ ...plainForm, as: "PartialObjectMetadata" });
  const rendition = renditions().of(kind, form);
  assert.equal(rendition.document({ ...whole, bytes }).toString(), rendition.document(whole).toString());
  assert.match(rendition.document(whole).toString(), /"labels":\{"x":"\}\{\\""\}/);
});

test("pieces of large objects are made elsewhere, and the same; small ones are made here", async () => {
  const [kind] = slices;
  assert.ok(kind);
  const labels = Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`label-${i}`, "x"]));
  const large = cached(kind, 7, { metadata: { name: "large", labels }, endpoints: [] });
  const small = cached(kind, 8, { metadata: { name: "small" }, endpoints: [] });
  const renderers = createRenderers(catalog, naming.metaGroup);
  let printed = 0;
  const printElsewhere = async (print: LargePrint): Promise<Buffer> => {
    printed += 1;
    return printLarge(print, { catalogs: () => catalog, renderers });
  };
  for (const form of ["protobuf", "cbor"]) {
    printed = 0;
    const rendition = renditions({ printElsewhere, hotBytes: 1e7 }).of(kind, form);
    await rendition.prepare([large, small]);
    assert.equal(printed, 1);
    assert.deepEqual(rendition.document(large), renditions().of(kind, form).document(large));
    assert.equal(rendition.prepare([large, small]), undefined);
  }
  const table = formText({ ...plainForm, as: "Table" });
  let wallClock = now;
  const aging = renditions({ printElsewhere, hotBytes: 1e7, wallClock: () => wallClock }).of(kind, table);
  await aging.prepare([large]);
  for (const later of [0, 500, 7_200_000]) {
    wallClock = now + later;
    const here = renditions({ wallClock: () => wallClock }).of(kind, table);
    assert.deepEqual(aging.document(large), here.document(large));
  }
  assert.equal(renditions({ printElsewhere }).of(kind, "").prepare([large]), undefined);
  const broken = renditions({ printElsewhere: () => Promise.reject(new Error("no thread")) }).of(kind, "cbor");
  await broken.prepare([large]);
  assert.deepEqual(broken.document(large), renditions().of(kind, "cbor").document(large));
});
