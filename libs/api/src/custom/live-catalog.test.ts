import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../catalog.js";
import type { AnyObject } from "../object.js";
import { definitionText } from "./definition-text.js";
import { createLiveCatalog, type DefinitionChange } from "./live-catalog.js";
import { createThreadCatalogs } from "./thread-catalogs.js";

const naming = createNaming("kubernetes");
const builtIn = loadCatalog(naming);
const group = "example.com";

interface Parts {
  readonly revision: number;
  readonly versions?: readonly string[];
  readonly established?: "True" | "False";
  readonly group?: string;
  readonly columns?: number;
  readonly served?: false;
  readonly deleted?: true;
}

/** A definition as it is stored. */
function stored(plural: string, parts: Parts): AnyObject {
  const { revision, versions = ["v1"], established = "True", group: of = group } = parts;
  const names = { plural, kind: plural.slice(0, 1).toUpperCase() + plural.slice(1, -1) };
  return {
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1beta1",
    metadata: {
      ...{ name: `${plural}.${of}`, resourceVersion: String(revision) },
      ...(parts.deleted === undefined ? {} : { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: {
      ...{ group: of, names, scope: "Namespaced" },
      versions: versions.map((name, i) => ({ name, served: parts.served ?? true, storage: i === 0 })),
    },
    status: {
      acceptedNames: names,
      conditions: [{ type: "Established", status: established, lastTransitionTime: null }],
    },
  };
}

function watched() {
  const live = createLiveCatalog(builtIn);
  const changes: string[] = [];
  const text = (kinds: DefinitionChange["before"]): string =>
    kinds?.kinds.map((k) => `${k.version} ${k.kind}`).join("+") ?? "-";
  live.onChange(({ before, after }) => void changes.push(`${text(before)} → ${text(after)}`));
  return { live, changes };
}

describe("a live catalog", () => {
  test("serves the stored version of a definition that is deleted and serves nothing else", () => {
    const { live, changes } = watched();
    const versions = ["v1", "v2"];
    live.changed(stored("widgets", { revision: 1, versions, served: false }));
    assert.deepEqual(
      [live.now.resource(group, "v1", "widgets"), live.now.groups().length],
      [undefined, builtIn.groups().length],
    );
    live.changed(stored("widgets", { revision: 2, versions, served: false, deleted: true }));
    assert.equal(live.now.resource(group, "v1", "widgets")?.kind, "Widget");
    assert.equal(live.now.resource(group, "v2", "widgets"), undefined);
    assert.equal(changes.length, 2);
  });

  test("shows what a definition adds for as long as it is established", () => {
    const { live, changes } = watched();
    assert.equal(live.now, builtIn);
    live.changed(stored("widgets", { revision: 1, established: "False" }));
    assert.equal(live.now, builtIn);
    live.changed(stored("widgets", { revision: 2, versions: ["v1", "v2beta1"] }));
    const { now } = live;
    assert.equal(now.version, 1);
    const kind = now.resource(group, "v2beta1", "widgets");
    assert.deepEqual([kind?.kind, kind?.stored.version, kind?.namespaced], ["Widget", "v1", true]);
    assert.equal(now.kind(`${group}/v1`, "Widget"), now.find(group, "v1", "widgets"));
    assert.deepEqual(now.groups().at(-1), { name: group, versions: ["v1", "v2beta1"], preferredVersion: "v1" });
    assert.equal(now.byStorageKey(`${group}/widgets/ns/a`)?.kind, now.storedAt(`${group}/widgets`));
    assert.equal(now.storedKinds().length, builtIn.storedKinds().length + 1);
    live.changed(stored("widgets", { revision: 3, established: "False" }));
    assert.equal(live.now.resource(group, "v1", "widgets"), undefined);
    assert.deepEqual(changes, ["- → v1 Widget+v2beta1 Widget", "v1 Widget+v2beta1 Widget → -"]);
  });

  test("a request keeps the catalog with which it began", () => {
    const { live } = watched();
    live.changed(stored("widgets", { revision: 1 }));
    const { now } = live;
    live.deleted(`widgets.${group}`, 2);
    assert.ok(now.resource(group, "v1", "widgets"));
    assert.equal(live.now.resource(group, "v1", "widgets"), undefined);
    assert.deepEqual(live.now.groups(), builtIn.groups());
  });

  test("kinds stay the same values while a definition says the same of them", () => {
    const { live, changes } = watched();
    live.changed(stored("widgets", { revision: 1 }));
    live.changed(stored("gears", { revision: 2 }));
    const [kinds, kind] = [live.now.kindsOf(group, "v1"), live.now.find(group, "v1", "widgets")];
    live.changed(stored("widgets", { revision: 3 }));
    assert.equal(live.now.kindsOf(group, "v1"), kinds);
    live.changed(stored("others", { revision: 4, group: "other.example.com" }));
    assert.equal(live.now.kindsOf(group, "v1"), kinds);
    live.changed(stored("gears", { revision: 5, versions: ["v2"] }));
    assert.notEqual(live.now.kindsOf(group, "v1"), kinds);
    assert.equal(live.now.find(group, "v1", "widgets"), kind);
    assert.equal(changes.length, 4);
    assert.equal(live.now.kindsOf("apps", "v1"), builtIn.kindsOf("apps", "v1"));
  });

  test("a load takes the place of what was known", () => {
    const { live, changes } = watched();
    live.replaced([stored("widgets", { revision: 1 }), stored("gears", { revision: 2 })], 5);
    live.replaced([stored("gears", { revision: 2 }), stored("cogs", { revision: 7 })], 8);
    assert.deepEqual(
      live.now.kindsOf(group, "v1").map(({ plural }) => plural),
      ["cogs", "gears"],
    );
    assert.deepEqual(changes, ["- → v1 Widget", "- → v1 Gear", "v1 Widget → -", "- → v1 Cog"]);
  });

  test("what was read besides counts where the follower has not come to it, and never brings back what is deleted", () => {
    const { live } = watched();
    const find = () => live.now.find(group, "v1", "widgets");
    live.replaced([], 5);
    live.learned(stored("widgets", { revision: 6 }));
    assert.ok(find());
    live.changed(stored("widgets", { revision: 6 }));
    live.deleted(`widgets.${group}`, 7);
    assert.equal(find(), undefined);
    live.learned(stored("widgets", { revision: 6 }));
    assert.equal(find(), undefined);
  });

  test("an older state never follows a newer one", () => {
    const { live } = watched();
    live.changed(stored("widgets", { revision: 9, versions: ["v2"] }));
    live.learned(stored("widgets", { revision: 8 }));
    assert.deepEqual(live.now.groups().at(-1)?.versions, ["v2"]);
  });

  test("what is built in stays what it is, and other resources join its group", () => {
    const { live } = watched();
    const rbac = "rbac.authorization.k8s.io";
    const { kind } = { kind: builtIn.find(rbac, "v1", "roles") };
    live.changed(stored("roles", { revision: 1, group: rbac }));
    assert.equal(live.now.find(rbac, "v1", "roles"), kind);
    live.changed(stored("extras", { revision: 2, group: rbac, versions: ["v1", "v9"] }));
    assert.equal(live.now.find(rbac, "v1", "roles"), kind);
    assert.ok(live.now.kindsOf(rbac, "v1").some(({ plural }) => plural === "extras"));
    assert.deepEqual(live.now.groups().find(({ name }) => name === rbac)?.versions, ["v1", "v9"]);
    assert.equal(live.now.groups().length, builtIn.groups().length);
  });

  test("a definition that says nothing of use adds nothing", () => {
    const { live } = watched();
    const { spec, ...rest } = stored("widgets", { revision: 1 });
    live.changed(rest);
    live.changed({ ...stored("gears", { revision: 2 }), status: {} });
    live.changed({ ...rest, spec: { group }, metadata: { name: "x", resourceVersion: "3" } });
    assert.ok(spec);
    assert.deepEqual(live.now.groups(), builtIn.groups());
  });

  test("a thread makes the same kinds of the definition's text", () => {
    const { live } = watched();
    live.changed(stored("widgets", { revision: 4, versions: ["v1", "v2"] }));
    const kind = live.now.find(group, "v2", "widgets");
    const catalogs = createThreadCatalogs(builtIn);
    const there = catalogs(kind?.definition?.()).find(group, "v2", "widgets");
    assert.deepEqual([there?.apiVersion, there?.stored.version], [`${group}/v2`, "v1"]);
    assert.equal(catalogs(undefined), builtIn);
    const text = definitionText(stored("widgets", { revision: 4 }));
    assert.equal(catalogs(text), catalogs(text));
  });

  test("10,000 rounds leave no memory behind", () => {
    setFlagsFromString("--expose-gc");
    const gc: () => void = runInNewContext("gc");
    const live = createLiveCatalog(builtIn);
    let revision = 0;
    const rounds = (count: number): number => {
      for (let i = 0; i < count; i++) {
        const plural = `rounds${++revision}s`;
        live.changed(stored(plural, { revision }));
        assert.ok(live.now.find(group, "v1", plural)?.type.byName.has("metadata"));
        live.deleted(`${plural}.${group}`, ++revision);
        assert.equal(live.now.find(group, "v1", plural), undefined);
      }
      gc();
      return process.memoryUsage().heapUsed;
    };
    const before = rounds(1000);
    const grown = rounds(9000) - before;
    // One kind alone is a few kilobytes.
    assert.ok(grown < 2_000_000, `${grown} bytes more`);
  });
});
