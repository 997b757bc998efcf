import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Kind } from "@orch/api/catalog.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import type { Answer, Http, Query } from "./harness/http.js";
import { hasSettled, type Manifest } from "./harness/manifest-files.js";
import { versionOf } from "./harness/manifests.js";
import {
  kindOf,
  kinds,
  pathOfKind,
  removeObject,
  type Served,
  serveEverything,
  unattended,
  versionsOf,
} from "./harness/served-kinds.js";
import { assertFailure, done } from "./harness/status.js";
import { until } from "./harness/until.js";

let served: Served;
let http: Http;
before(async () => {
  served = await serveEverything();
  http = served.http;
  for (const manifest of kinds) await createByApply(manifest);
  // Of some the server says something itself, a moment later.
  for (const manifest of kinds) {
    const { kind, metadata } = manifest.object;
    if (unattended.has(kind)) continue;
    await until(`${kind} ${metadata.name} has settled`, async () => {
      const { text } = await http.get(pathOfKind(kindOf(manifest), metadata.name));
      return hasSettled({ kind }, text) || undefined;
    });
  }
  // What is applied again later than in the same second would show a new time.
  await delay(1100);
});
after(async () => {
  http.close();
  await served.target.stop();
});

/** Spec 1: Server-side apply; Behavior rules, 6: for each kind, in each version that is served. */
describe("every kind is applied and patched", { concurrency: 4 }, () => {
  for (const manifest of kinds) {
    const { apiVersion, kind } = manifest.object;
    test(`${kind} ${apiVersion}`, () => lifeOf(manifest));
  }
});

async function lifeOf(manifest: Manifest): Promise<void> {
  const kind = kindOf(manifest);
  const versions = versionsOf(kind.hub).filter((version) => version.verbs.includes("patch"));
  const { name } = manifest.object.metadata;
  await applyAgain(manifest);
  for (const version of versions) await patchEverywhere(version, name);
  for (const version of versions) await shareAndConflict(version, name);
  if (manifest.status !== undefined) await applyStatus(manifest);
  for (const version of versions) await applyWhatIsRead(version, name);
  await removeObject(http, kind, name);
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
}

function entriesOf(object: ApiObject): readonly Entry[] {
  const entries = object.metadata["managedFields"];
  assert.ok(Array.isArray(entries), JSON.stringify(object.metadata));
  return entries;
}

/** The object of the manifest, with a label for others to share. */
function configuration({ object }: Manifest) {
  const { metadata, ...rest } = object;
  return { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, shared: "yes" } } };
}

function applyWhole(manifest: Manifest, query: Query = {}): Promise<Answer> {
  const path = pathOfKind(kindOf(manifest), manifest.object.metadata.name);
  const options = { fieldManager: "one", fieldValidation: "Strict", ...query };
  return done(http.patch(path, "apply", configuration(manifest), options));
}

async function createByApply(manifest: Manifest): Promise<void> {
  const kind = kindOf(manifest);
  const path = pathOfKind(kind, manifest.object.metadata.name);
  assert.equal((await applyWhole(manifest, { dryRun: "All" })).status, 201);
  assertFailure(await http.get(path), { code: 404, reason: "NotFound" });
  const created = await applyWhole(manifest);
  assert.equal(created.status, 201);
  const [entry, ...others] = entriesOf(created.object());
  assert.deepEqual(others, []);
  assert.deepEqual(
    [entry?.manager, entry?.operation, entry?.apiVersion, entry?.subresource],
    ["one", "Apply", kind.apiVersion, undefined],
  );
}

async function applyAgain(manifest: Manifest): Promise<void> {
  const path = pathOfKind(kindOf(manifest), manifest.object.metadata.name);
  const before = await http.get(path);
  const again = await applyWhole(manifest);
  assert.equal(again.status, 200);
  assert.deepEqual(again.json(), before.json(), "the same again is no change");
  assert.deepEqual((await http.get(path)).json(), before.json());
}

/** Of what such a tree holds a strategic merge knows no types, and refuses to merge it, as the reference does. */
const keepsForeignTrees: ReadonlySet<string> = new Set(["ControllerRevision"]);

async function patchEverywhere(version: Kind, name: string): Promise<void> {
  const path = pathOfKind(version, name);
  const mark = version.apiVersion.replace("/", "-");
  const labelled = await done(http.patch(path, "merge", { metadata: { labels: { [mark]: "merge" } } }));
  const annotations = { [`example.com/${mark}`]: "strategic" };
  const annotated = await done(http.patch(path, "strategic-merge", { metadata: { annotations } }));
  assert.notEqual(versionOf(annotated.object()), versionOf(labelled.object()));
  assert.equal(annotated.object().metadata.labels?.[mark], "merge");
  const pointer = `/metadata/annotations/example.com~1${mark}`;
  const tested = await done(http.patch(path, "json", [{ op: "test", path: pointer, value: "strategic" }]));
  assert.deepEqual(tested.json(), annotated.json(), "a test is no change");
  const failed = await http.patch(path, "json", [{ op: "test", path: pointer, value: "other" }]);
  assertFailure(failed, { code: 422, reason: "Invalid" });
  if (keepsForeignTrees.has(version.kind)) return;
  const nothing = await done(http.patch(path, "strategic-merge", annotated.object()));
  assert.deepEqual(nothing.json(), annotated.json(), "what was read, as a patch, is no change");
}

/** Somebody who applies through this version shares what the first applied, and may not change it. */
async function shareAndConflict(version: Kind, name: string): Promise<void> {
  const path = pathOfKind(version, name);
  const fieldManager = `sharer-${version.version}`;
  const apply = (shared: string) => {
    const { apiVersion, kind } = version;
    return http.patch(path, "apply", { apiVersion, kind, metadata: { name, labels: { shared } } }, { fieldManager });
  };
  const shared = await done(apply("yes"));
  const entry = entriesOf(shared.object()).find(({ manager }) => manager === fieldManager);
  assert.deepEqual(entry === undefined ? undefined : Reflect.get(entry, "fieldsV1"), {
    "f:metadata": { "f:labels": { "f:shared": {} } },
  });
  assert.deepEqual((await done(apply("yes"))).json(), shared.json());
  const refused = await apply("no");
  assertFailure(refused, { code: 409, reason: "Conflict", message: /^Apply failed with \d+ conflicts?: / });
  const causes = refused.at("details.causes");
  assert.ok(Array.isArray(causes));
  assert.ok(
    causes.length > 0 && causes.every((cause) => isRecord(cause) && cause["field"] === ".metadata.labels.shared"),
  );
}

async function applyStatus(manifest: Manifest): Promise<void> {
  const kind = kindOf(manifest);
  const { apiVersion, kind: title, metadata } = manifest.object;
  const body = { apiVersion, kind: title, metadata: { name: metadata.name }, status: manifest.status };
  const path = pathOfKind(kind, metadata.name, "status");
  const apply = () => done(http.patch(path, "apply", body, { fieldManager: "controller", force: true }));
  const applied = await apply();
  const entry = entriesOf(applied.object()).find(({ manager }) => manager === "controller");
  assert.deepEqual([entry?.operation, entry?.subresource], ["Apply", "status"], applied.text);
  assert.deepEqual((await apply()).json(), applied.json());
}

/** Whoever applies all that a version shows changes nothing of it, and again not even its version. */
async function applyWhatIsRead(version: Kind, name: string): Promise<void> {
  const path = pathOfKind(version, name);
  const before = (await http.get(path)).object();
  const { labels = {}, annotations = {}, finalizers } = before.metadata;
  const metadata = { name, labels, annotations, ...(finalizers === undefined ? {} : { finalizers }) };
  const body = { ...before, apiVersion: version.apiVersion, kind: version.kind, metadata };
  const apply = () => done(http.patch(path, "apply", body, { fieldManager: "one", force: true }));
  const applied = await apply();
  assert.deepEqual(
    { ...applied.object(), metadata: undefined },
    { ...before, metadata: undefined },
    version.apiVersion,
  );
  const entry = entriesOf(applied.object()).find(({ manager }) => manager === "one");
  assert.equal(entry?.apiVersion, version.apiVersion, "the entry moves to the version that was applied");
  assert.deepEqual((await apply()).json(), applied.json(), `${version.apiVersion} again`);
}
