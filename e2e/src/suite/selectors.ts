import assert from "node:assert/strict";
import { test } from "node:test";
import { freshMaps, freshNamespace, namesOf } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const labelled: Readonly<Record<string, object>> = {
  a: { app: "web", tier: "front" },
  b: { app: "web", tier: "back" },
  c: { app: "db" },
  d: {},
};

const labelCases: readonly (readonly [selector: string, names: string])[] = [
  ["app=web", "a b"],
  ["app==web", "a b"],
  ["app!=web", "c d"],
  ["app=web,tier=back", "b"],
  ["app in (web,db)", "a b c"],
  ["app notin (web)", "c d"],
  ["app", "a b c"],
  ["!app", "d"],
  ["app,!tier", "c"],
  ["tier in (front), app", "a"],
  ["app=none", ""],
  ["", "a b c d"],
];

/** Label and field selectors on every verb that takes them (rules: Query parameters). */
export function selectorSuite(on: On): void {
  test("label selectors choose by equality, set and existence in lists", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const [name, labels] of Object.entries(labelled)) await maps.create(name, { labels });
    for (const [labelSelector, names] of labelCases) {
      const answer = await http.get(maps.path(), { labelSelector });
      assert.equal(namesOf(answer.items()).join(" "), names, labelSelector);
    }
  });

  test("field selectors choose by name, namespace and the fields of a kind", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const spec = { containers: [{ name: "c", image: "i" }] };
    await http.post(path, { metadata: { name: "free" }, spec });
    await http.post(path, { metadata: { name: "bound" }, spec: { ...spec, nodeName: "n1" } });
    const cases: readonly (readonly [string, string])[] = [
      ["metadata.name=free", "free"],
      ["metadata.name!=free", "bound"],
      [`metadata.namespace=${namespace}`, "bound free"],
      ["metadata.namespace=elsewhere", ""],
      ["spec.nodeName=n1", "bound"],
      ["spec.nodeName=", "free"],
      ["spec.nodeName!=n1", "free"],
      ["status.phase=Pending", "bound free"],
      ["status.phase=Running", ""],
      ["spec.nodeName=n1,status.phase=Pending", "bound"],
    ];
    for (const [fieldSelector, names] of cases) {
      const answer = await http.get(path, { fieldSelector });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(namesOf(answer.items()).join(" "), names, fieldSelector);
    }
    const everywhere = await http.get("/api/v1/pods", { fieldSelector: `metadata.namespace=${namespace}` });
    assert.equal(namesOf(everywhere.items()).join(" "), "bound free");
  });

  test("a selector that cannot be read is refused with 400", async () => {
    const { http } = on();
    const { path } = await freshMaps(http);
    const bad = [
      { labelSelector: "app in web" },
      { labelSelector: "app=(" },
      { labelSelector: "-app=x" },
      { fieldSelector: "metadata.name" },
      { fieldSelector: "data.k=v" },
    ];
    for (const query of bad) {
      assertFailure(await http.get(path(), query), { code: 400, reason: "BadRequest" });
      assertFailure(await http.get(path(), { ...query, watch: true }), { code: 400, reason: "BadRequest" });
      assertFailure(await http.delete(path(), query), { code: 400, reason: "BadRequest" });
    }
  });
}
