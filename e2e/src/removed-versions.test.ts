import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Catalog, type Kind, loadCatalog } from "@orch/api/catalog.js";
import { compareReleases } from "@orch/api/versions.js";
import { type ApiObject, pathOf } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { connect, type Http } from "./harness/http.js";
import { hasSettled, type RemovedManifest, readRemovedManifests } from "./harness/manifest-files.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

const naming = createNaming("kubernetes");
const { namespace, kinds: rows } = readRemovedManifests();
/** In which the rows are created, and at last the newest. */
const releases = [...new Set(rows.map((row) => row.release)), "1.32"];
const catalogs = new Map(releases.map((release) => [release, loadCatalog(naming, { release })]));

test("there is an object of every version that releases removed, but for those of 1.16", () => {
  const catalogsOfAll = Array.from({ length: 16 }, (_, i) =>
    loadCatalog(naming, { release: `1.${16 + i}`, runtimeConfig: ["api/beta=true"] }),
  );
  const removed = catalogsOfAll
    .flatMap((catalog) => servedKinds(catalog))
    .filter(({ release, verbs, version }) => {
      const isGone = release.removed !== undefined && compareReleases(release.removed, "1.32") <= 0;
      return isGone && verbs.includes("get") && verbs.includes("create") && !version.includes("alpha");
    });
  const titles = (of: readonly { apiVersion: string; kind: string }[]): readonly string[] =>
    [...new Set(of.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))].sort();
  assert.deepEqual(titles(rows.map((row) => row.object)), titles(removed));
});

/** One cluster that is upgraded, on one data directory (rules: Removed API versions by release). */
describe("objects of removed versions", () => {
  let folder: string;
  const waiting = new Map<RemovedManifest, ApiObject>();
  before(async () => {
    folder = await newFolder();
  });
  after(() => removeFolder(folder));

  for (const [i, release] of releases.entries()) {
    describe(`at release ${release}`, () => {
      let target: StandaloneTarget;
      let http: Http;
      before(async () => {
        // The newest is the default.
        const emulated = i === releases.length - 1 ? [] : [`--emulated-version=${release}`];
        target = await startStandalone({ dataDir: folder, args: ["--secure-port=0", ...emulated] });
        http = connect(target);
        if (i > 0) return;
        const made = await http.post("/api/v1/namespaces", { metadata: { name: namespace } });
        assert.equal(made.status, 201, made.text);
      });
      after(async () => {
        http.close();
        await target.stop();
      });

      for (const row of rows) {
        const { apiVersion, kind } = row.object;
        if (release === firstWithout(row)) {
          test(`${apiVersion} ${kind} is gone, its objects are there`, async () => {
            const object = waiting.get(row);
            assert.ok(object !== undefined, "it was not created");
            await isGone({ http, release, row, object });
          });
        } else if (row.release === release) {
          test(`${apiVersion} ${kind} is served with a warning`, async () => {
            waiting.set(row, await isDeprecated({ http, release, row }));
          });
        }
      }
    });
  }
});

/** Of the releases here the first that does not serve the version. */
function firstWithout({ removed }: RemovedManifest): string | undefined {
  return releases.find((release) => compareReleases(removed, release) <= 0);
}

interface Step {
  readonly http: Http;
  readonly release: string;
  readonly row: RemovedManifest;
}

/** The object that was created through the old version. */
async function isDeprecated({ http, release, row }: Step): Promise<ApiObject> {
  const kind = kindOf(release, row);
  // Names of what has no namespace often mean something; of the rest several wait at the same time.
  const name = kind.namespaced ? `sample-${rows.indexOf(row)}` : row.object.metadata.name;
  const created = await http.post(pathIn(kind), { ...row.object, metadata: { name } });
  assert.equal(created.status, 201, created.text);
  const path = pathIn(kind, name);
  const read = await until("the server's own word of it", async () => {
    const answer = await http.get(path);
    return hasSettled(kind, answer.text) ? answer : undefined;
  });
  const answers = [created, read, await http.get(pathIn(kind)), await http.put(path, read.object())];
  for (const answer of answers) {
    assert.ok(answer.status < 300, answer.text);
    // What is not enforced yet warns of that after it.
    const [first] = String(answer.headers["warning"]).split(", 299 - ");
    assert.equal(first, `299 - "${row.warning}"`);
  }
  assert.deepEqual((await http.get(path)).json(), read.json(), "what was read is written back");
  await isCounted(http, kind, row.removed);
  const applied = await applyThrough(http, kind, name);
  assert.deepEqual(
    versionsOfOwners(applied),
    [kind.apiVersion, kind.apiVersion],
    "whoever created it, and who applied",
  );
  assert.deepEqual(await applyThrough(http, kind, name), applied, "the same again is no change");
  if (row.through === undefined) return created.object();

  const through = catalogOf(release).kind(row.through, kind.kind);
  assert.ok(through !== undefined, row.through);
  const shown = await http.get(pathIn(through, name));
  assert.equal(shown.status, 200, shown.text);
  assert.equal(shown.at("metadata.uid"), created.at("metadata.uid"));
  for (const [at, value] of Object.entries(row.expect)) assert.deepEqual(shown.at(at), value, `${at} in ${shown.text}`);
  return created.object();
}

/** Somebody's label, applied through a version. */
async function applyThrough(http: Http, kind: Kind, name = ""): Promise<ApiObject> {
  const { apiVersion, kind: title } = kind;
  const body = { apiVersion, kind: title, metadata: { name, labels: { applied: "yes" } } };
  const answer = await http.patch(pathIn(kind, name), "apply", body, { fieldManager: `applies-${kind.version}` });
  assert.equal(answer.status, 200, answer.text);
  return answer.object();
}

/** But for the server itself, which owns what it says in the status. */
function versionsOfOwners({ metadata: { managedFields } }: ApiObject): readonly unknown[] {
  assert.ok(Array.isArray(managedFields));
  const owners = managedFields.filter((entry: { readonly subresource?: string }) => entry.subresource !== "status");
  return owners.map((entry: { readonly apiVersion?: unknown }) => entry.apiVersion);
}

/** The metrics say so of a deprecated version (rules: Signals on deprecated endpoints). */
async function isCounted(http: Http, kind: Kind, removed: string): Promise<void> {
  const { text } = await http.get("/metrics");
  const asked = { group: kind.group, version: kind.version, resource: kind.plural, subresource: "" };
  const wanted = { ...asked, removed_release: removed };
  const deprecated = seriesOf(text, "apiserver_requested_deprecated_apis");
  assert.ok(
    deprecated.some((s) => isPart(s.labels, wanted) && s.value === "1"),
    JSON.stringify(wanted),
  );
  assert.ok(seriesOf(text, "apiserver_request_total").some((s) => isPart(s.labels, asked)));
}

interface Series {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: string;
}

function seriesOf(text: string, name: string): readonly Series[] {
  return text.split("\n").flatMap((line) => {
    const [, labels = "", value = ""] = new RegExp(`^${name}\\{(.*)\\} (\\S+)$`).exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, at = "", label = ""]) => [at, label] as const);
    return value === "" ? [] : [{ labels: new Map(pairs), value }];
  });
}

function isPart(labels: ReadonlyMap<string, string>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => labels.get(name) === value);
}

/** The old version is not served, the object is there in those that are. */
async function isGone({ http, release, row, object }: Step & { readonly object: ApiObject }): Promise<void> {
  const { name } = object.metadata;
  const kind = kindOf(release, row);
  for (const path of [pathIn(kind), pathIn(kind, name)]) assert.equal((await http.get(path)).status, 404, path);
  const remaining = servedKinds(catalogOf(release)).filter((other) => other.hub === kind.hub);
  assert.ok(remaining.length > 0 || row.through === undefined, "no version is left to read it in");
  for (const other of remaining) {
    const read = await http.get(pathIn(other, name));
    assert.equal(read.status, 200, read.text);
    assert.equal(read.at("metadata.uid"), object.metadata.uid);
    assert.equal(read.at("apiVersion"), other.apiVersion);
    const expected = other.apiVersion === row.through ? Object.entries(row.expect) : [];
    for (const [at, value] of expected) assert.deepEqual(read.at(at), value, `${at} in ${read.text}`);
  }
  const [left] = remaining;
  if (left === undefined) return;
  const shared = await applyThrough(http, left, name);
  assert.ok(
    versionsOfOwners(shared).includes(kind.apiVersion),
    "who owns a field by a version that is gone still does",
  );
  const body = { apiVersion: left.apiVersion, kind: left.kind, metadata: { name, labels: { applied: "no" } } };
  const refused = await http.patch(pathIn(left, name), "apply", body, { fieldManager: "other" });
  assert.equal(refused.status, 409, refused.text);
  const [old, now] = [kind.version, left.version].map((version) => `conflict with "applies-${version}"`);
  for (const owner of [old, now]) assert.ok(refused.text.includes(JSON.stringify(owner).slice(1, -1)), refused.text);
  const deleted = await http.delete(pathIn(left, name));
  assert.equal(deleted.status, 200, deleted.text);
}

function catalogOf(release: string): Catalog {
  const catalog = catalogs.get(release);
  assert.ok(catalog !== undefined);
  return catalog;
}

function kindOf(release: string, { object: { apiVersion, kind } }: RemovedManifest): Kind {
  const found = catalogOf(release).kind(apiVersion, kind);
  assert.ok(found !== undefined, `${apiVersion} ${kind} is not in the catalog`);
  return found;
}

function servedKinds(catalog: Catalog): readonly Kind[] {
  return catalog.groups().flatMap((group) => group.versions.flatMap((version) => catalog.kindsOf(group.name, version)));
}

function pathIn({ group, version, plural: resource, namespaced }: Kind, name?: string): string {
  return pathOf({ group, version, resource, ...(namespaced ? { namespace } : {}) }, name);
}
