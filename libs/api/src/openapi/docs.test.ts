import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject, type MessageType, type Type } from "@orch/schema/descriptor.js";
import { type Catalog, loadCatalog } from "../catalog.js";
import { loadDocs } from "./docs.js";

const naming = createNaming("orch");
const catalogOf = (release: string): Catalog => loadCatalog(naming, { release, runtimeConfig: ["api/all"] });
const releases = Array.from({ length: 17 }, (_, i) => `1.${16 + i}`);
const catalogs = releases.map((release) => [release, catalogOf(release)] as const);
const catalog = catalogOf("1.32");
const docs = loadDocs(naming);
const folder = new URL("../../docs/", import.meta.url);
const leaves = new Set(["Time", "MicroTime", "Duration", "Quantity", "IntOrString", "RawExtension", "FieldsV1"]);

test("every description belongs to a type and a field that there are", () => {
  let seen = 0;
  for (const file of readdirSync(folder)) {
    const described: unknown = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    assert.ok(isObject(described));
    const home = file.replace(/\.(v\d.*)\.json$/, "/$1");
    for (const [name, texts] of Object.entries(described)) {
      const types = catalogs.flatMap(([, served]) => served.type(`${home}.${name}`) ?? []);
      assert.ok(types.length > 0 || (home === "meta/v1" && leaves.has(name)), `${file} ${name}`);
      assert.ok(isObject(texts));
      for (const [field, text] of Object.entries(texts)) {
        const known = ["", "..."].includes(field) || types.some((t) => t.byName.has(field)) || name === "TypeMeta";
        assert.ok(known, `${file} ${name}.${field}`);
        assert.ok(typeof text === "string" && text !== "", `${file} ${name}.${field}`);
        seen += 1;
      }
    }
  }
  assert.ok(seen > 1000);
});

for (const [release, served] of catalogs) {
  test(`all that release ${release} serves is described`, () => {
    const kinds = served.groups().flatMap(({ name, versions }) => versions.flatMap((v) => served.kindsOf(name, v)));
    const seen = new Set<MessageType>();
    for (const { type } of kinds) messagesOf(type, seen);
    assert.ok(seen.size > 400);
    assert.deepEqual(
      [...seen].flatMap((message) => undescribed(message)),
      [],
    );
  });
}

test("a field that only another version describes is described as there", () => {
  const inV2 = docs.of("autoscaling/v2.HorizontalPodAutoscalerSpec", "maxReplicas");
  assert.equal(docs.of("autoscaling/v1.HorizontalPodAutoscalerSpec", "maxReplicas"), inV2);
  assert.ok(inV2 !== undefined);
  assert.equal(docs.of("autoscaling/v2beta1.ResourceMetricStatus", "name"), "The resource.");
});

test("the options of requests are described: they are the parameters", () => {
  const options = ["ListOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "DeleteOptions", "Status"];
  for (const name of options) {
    const type = catalog.type(`meta/v1.${name}`);
    assert.ok(type !== undefined);
    assert.deepEqual(undescribed(type), []);
  }
});

function messagesOf(type: Type, seen = new Set<MessageType>()): readonly MessageType[] {
  if (type.kind === "list") return messagesOf(type.item, seen);
  if (type.kind === "map") return messagesOf(type.value, seen);
  if (type.kind === "message" && !seen.has(type)) {
    seen.add(type);
    for (const field of type.byName.values()) messagesOf(field.type, seen);
  }
  return [...seen];
}

function undescribed(type: MessageType): readonly string[] {
  const own = [...type.byName.keys()].filter((name) => !type.object || !ofEvery.has(name));
  return ["", ...own].filter((name) => docs.of(type.name, name) === undefined).map((name) => `${type.name}.${name}`);
}

const ofEvery = new Set(["apiVersion", "kind", "metadata"]);

test("fields of a type are told as those of another where the type says so", () => {
  assert.equal(docs.of("core/v1.EphemeralContainer", "image"), docs.of("core/v1.Container", "image"));
  assert.notEqual(docs.of("core/v1.EphemeralContainer", "ports"), docs.of("core/v1.Container", "ports"));
  assert.equal(docs.of("apps/v1.DeploymentCondition", "reason"), docs.of("meta/v1.Condition", "reason"));
  assert.notEqual(docs.of("apps/v1.DeploymentCondition"), docs.of("meta/v1.Condition"));
  assert.equal(docs.of("core/v1.Nothing", "image"), undefined);
});
