import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject, type MessageType, type Type } from "@orch/schema/descriptor.js";
import { loadCatalog } from "../catalog.js";
import { loadDocs } from "./docs.js";

const naming = createNaming("orch");
const catalog = loadCatalog(naming, { runtimeConfig: ["api/all"] });
const docs = loadDocs(naming);
const folder = new URL("../../docs/", import.meta.url);
const leaves = new Set(["Time", "MicroTime", "Duration", "Quantity", "IntOrString", "RawExtension", "FieldsV1"]);

test("every description belongs to a type and a field that there are", () => {
  let seen = 0;
  for (const file of readdirSync(folder)) {
    const types: unknown = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    assert.ok(isObject(types));
    const home = file.replace(/\.(v\d.*)\.json$/, "/$1");
    for (const [name, texts] of Object.entries(types)) {
      const type = catalog.type(`${home}.${name}`);
      assert.ok(type !== undefined || (home === "meta/v1" && leaves.has(name)), `${file} ${name}`);
      assert.ok(isObject(texts));
      for (const [field, text] of Object.entries(texts)) {
        const known = ["", "..."].includes(field) || type?.byName.has(field) || name === "TypeMeta";
        assert.ok(known, `${file} ${name}.${field}`);
        assert.ok(typeof text === "string" && text !== "", `${file} ${name}.${field}`);
        seen += 1;
      }
    }
  }
  assert.ok(seen > 1000);
});

const described: readonly (readonly [group: string, version: string, plural: string])[] = [
  ["", "v1", "configmaps"],
  ["", "v1", "namespaces"],
  ["", "v1", "nodes"],
  ["", "v1", "persistentvolumeclaims"],
  ["", "v1", "pods"],
  ["", "v1", "secrets"],
  ["", "v1", "services"],
  ["apps", "v1", "deployments"],
  ["batch", "v1", "jobs"],
  ["networking.orch", "v1", "ingresses"],
];

for (const [group, version, plural] of described) {
  test(`all that ${plural} are made of is described`, () => {
    const type = catalog.find(group, version, plural)?.type;
    assert.ok(type !== undefined);
    const missing = messagesOf(type).flatMap((message) => undescribed(message));
    assert.deepEqual(missing, []);
  });
}

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
