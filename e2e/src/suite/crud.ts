import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Http } from "../harness/http.js";
import {
  collectionPath,
  freshNamespace,
  nameOf,
  namesOf,
  type Sample,
  samples,
  versionOf,
} from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const second = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Create, read, replace and delete of every kind from the least a client must say (rules: Verbs to HTTP). */
export function crudSuite(on: On): void {
  for (const { kind } of samples(createNaming("kubernetes"))) {
    test(`${kind}: a minimal manifest is created, read, listed, replaced and deleted`, async () => {
      const { http, target } = on();
      const sample = samples(target.naming).find((s) => s.kind === kind);
      assert.ok(sample);
      await lifeOf(http, sample);
    });
  }
}

async function lifeOf(http: Http, sample: Sample): Promise<void> {
  const namespace = await freshNamespace(http);
  const collection = collectionPath(sample, namespace);
  // A cluster-scoped name must not meet another test's.
  const name = `${namespace}-life`;
  const created = await http.post(collection, { metadata: { name }, ...sample.minimal(namespace) });
  assert.equal(created.status, 201, created.text);
  const first = created.object();
  assert.equal(created.at("kind"), sample.kind);
  assert.equal(created.at("apiVersion"), sample.apiVersion);
  assert.match(String(first.metadata.uid), uuid);
  assert.match(String(first.metadata["creationTimestamp"]), second);
  assert.equal(first.metadata.namespace, sample.namespaced ? namespace : undefined);
  for (const [path, value] of Object.entries(sample.defaults)) assert.equal(created.at(path), value, path);

  const again = await http.post(collection, { metadata: { name }, ...sample.minimal(namespace) });
  assertFailure(again, { code: 409, reason: "AlreadyExists" });

  const read = await http.get(`${collection}/${name}`);
  assert.equal(read.status, 200);
  assert.deepEqual(read.json(), created.json());

  const listed = await http.get(collection);
  assert.equal(listed.at("kind"), `${sample.kind}List`);
  assert.equal(listed.at("apiVersion"), sample.apiVersion);
  const item = listed.items().find((object) => nameOf(object) === name);
  assert.deepEqual({ kind: sample.kind, apiVersion: sample.apiVersion, ...item }, created.json());

  const replacement = { ...first, metadata: { ...first.metadata, labels: { changed: "yes" } } };
  const replaced = await http.put(`${collection}/${name}`, replacement);
  assert.equal(replaced.status, 200, replaced.text);
  const second_ = replaced.object();
  assert.equal(second_.metadata.uid, first.metadata.uid);
  assert.notEqual(versionOf(second_), versionOf(first));
  assert.deepEqual(second_.metadata.labels?.["changed"], "yes");
  assert.deepEqual((await http.get(`${collection}/${name}`)).json(), replaced.json());

  await deletion(http, { sample, collection, name });
}

async function deletion(
  http: Http,
  of: { readonly sample: Sample; readonly collection: string; readonly name: string },
): Promise<void> {
  const { sample, collection, name } = of;
  const before = (await http.get(`${collection}/${name}`)).object();
  const deleted = await http.delete(`${collection}/${name}`);
  assert.equal(deleted.status, 200, deleted.text);
  if (sample.kind === "Namespace") {
    // Its own finalizer keeps it until its content is gone, which is a controller's work.
    assert.equal(deleted.at("status.phase"), "Terminating");
    return;
  }
  if (sample.deletionAnswersObject === true) assert.equal(deleted.object().metadata.uid, before.metadata.uid);
  else {
    assert.equal(deleted.at("kind"), "Status");
    assert.equal(deleted.at("status"), "Success");
    assert.equal(deleted.at("details.name"), name);
    assert.equal(deleted.at("details.kind"), sample.plural);
    assert.equal(deleted.at("details.uid"), before.metadata.uid);
  }
  assertFailure(await http.get(`${collection}/${name}`), { code: 404, reason: "NotFound" });
  assertFailure(await http.delete(`${collection}/${name}`), { code: 404, reason: "NotFound" });
  assert.ok(!namesOf((await http.get(collection)).items()).includes(name));
}
