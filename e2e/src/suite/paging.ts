import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/http.js";
import { freshMaps, namesOf } from "../harness/manifests.js";
import { allPages } from "../harness/pages.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const letters = [..."abcdefghij"];
const namesIn = (pages: readonly Answer[]): string => pages.map((p) => namesOf(p.items()).join("")).join(" ");

/** Lists that are not the one that a token comes from. */
const foreignLists: readonly (readonly [what: string, pick: (list: string, other: string) => string])[] = [
  ["another namespace", (_list, other) => other],
  ["all namespaces", () => "/api/v1/configmaps"],
  ["another resource", (list) => list.replace("configmaps", "secrets")],
  ["another resource of the cluster", () => "/api/v1/namespaces"],
];

/** Paged lists (rules: Paged lists; Collection response). */
export function pagingSuite(on: On): void {
  test("pages hold the collection of one moment, whatever is written between them", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const name of letters) await maps.create(name);
    const first = await http.get(maps.path(), { limit: 4 });
    assert.equal(namesIn([first]), "abcd");
    assert.equal(first.at("metadata.remainingItemCount"), 6);
    await maps.remove("e");
    await maps.create("ea");
    await maps.create("zz");
    const f = (await http.get(maps.path("f"))).object();
    await maps.change(f, { changed: "later" });
    const second = await http.get(maps.path(), { limit: 4, continue: String(first.at("metadata.continue")) });
    assert.equal(namesIn([second]), "efgh");
    assert.equal(second.at("items.1.data"), undefined);
    assert.equal(second.at("metadata.remainingItemCount"), 2);
    assert.equal(second.at("metadata.resourceVersion"), first.at("metadata.resourceVersion"));
    const last = await http.get(maps.path(), { limit: 4, continue: String(second.at("metadata.continue")) });
    assert.equal(namesIn([last]), "ij");
    assert.equal(last.at("metadata.remainingItemCount"), undefined);
    assert.equal(last.at("metadata.continue") ?? "", "");
    assert.equal(last.at("metadata.resourceVersion"), first.at("metadata.resourceVersion"));
  });

  test("every page size gives the same whole, and a list that fits has no token and no count", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const name of letters) await maps.create(name);
    for (const limit of [1, 3, 5, 9]) {
      const pages = await allPages(http, maps.path(), { limit });
      assert.equal(namesIn(pages).replaceAll(" ", ""), "abcdefghij");
      for (const page of pages) assert.ok(page.items().length <= limit);
      assert.equal(new Set(pages.map((p) => p.at("metadata.resourceVersion"))).size, 1);
    }
    for (const limit of [10, 11, 0]) {
      const [only, ...more] = await allPages(http, maps.path(), { limit });
      assert.equal(more.length, 0);
      assert.equal(only?.at("metadata.remainingItemCount"), undefined);
    }
  });

  test("pages of a selection are full, in order, and say no remaining count", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const [i, name] of letters.entries()) await maps.create(name, { labels: { even: String(i % 2 === 0) } });
    const pages = await allPages(http, maps.path(), { limit: 2, labelSelector: "even=true" });
    assert.equal(namesIn(pages).replaceAll(" ", ""), "acegi");
    for (const page of pages) assert.equal(page.at("metadata.remainingItemCount"), undefined);
  });

  test("pages of a selection hold the collection of one moment too", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const chosen = { labels: { on: "yes" } };
    for (const name of letters) await maps.create(name, "ace".includes(name) ? {} : chosen);
    const query = { limit: 3, labelSelector: "on=yes" };
    const first = await http.get(maps.path(), query);
    await maps.remove("g");
    await maps.create("fa", chosen);
    const h = (await http.get(maps.path("h"))).object();
    await http.put(maps.path("h"), { ...h, metadata: { ...h.metadata, labels: {} } });
    const rest = await http.get(maps.path(), { ...query, limit: 9, continue: String(first.at("metadata.continue")) });
    assert.equal(namesIn([first, rest]), "bdf ghij");
    assert.equal(rest.at("metadata.resourceVersion"), first.at("metadata.resourceVersion"));
  });

  for (const [what, pick] of foreignLists) {
    test(`a token is refused by ${what}`, async () => {
      const { http } = on();
      const maps = await freshMaps(http);
      for (const name of letters) await maps.create(name);
      const token = String((await http.get(maps.path(), { limit: 3 })).at("metadata.continue"));
      const other = await freshMaps(http);
      const answer = await http.get(pick(maps.path(), other.path()), { limit: 3, continue: token });
      const message = "invalid continue token: continue key is not valid: it was not made for this list";
      assertFailure(answer, { code: 400, reason: "BadRequest", message });
    });
  }

  test("a token with one character changed is refused, wherever it stands", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const name of letters) await maps.create(name);
    const token = String((await http.get(maps.path(), { limit: 3 })).at("metadata.continue"));
    for (let i = 0; i < token.length; i += 5) {
      const forged = token.slice(0, i) + (token[i] === "x" ? "y" : "x") + token.slice(i + 1);
      const answer = await http.get(maps.path(), { limit: 3, continue: forged });
      assertFailure(answer, {
        code: 400,
        reason: "BadRequest",
        message: /^invalid continue token: continue key is not/,
      });
    }
  });

  test("tokens that are broken, of another list, or sent with a version are refused with 400", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const name of letters) await maps.create(name);
    const token = String((await http.get(maps.path(), { limit: 3 })).at("metadata.continue"));
    const other = await freshMaps(http);
    for (const query of [
      { continue: "no token" },
      { continue: token.slice(1) },
      { continue: token, resourceVersion: 5 },
    ]) {
      assertFailure(await http.get(maps.path(), { limit: 3, ...query }), { code: 400, reason: "BadRequest" });
    }
    assertFailure(await http.get(other.path(), { limit: 3, continue: token }), { code: 400, reason: "BadRequest" });
    const zero = await http.get(maps.path(), { limit: 3, continue: token, resourceVersion: 0 });
    assert.equal(namesIn([zero]), "def");
  });

  test("a list across namespaces is ordered by namespace and name, page by page", async () => {
    const { http } = on();
    const [one, two] = [await freshMaps(http), await freshMaps(http)];
    const labels = { both: one.namespace };
    for (const maps of [two, one]) for (const name of ["y", "x"]) await maps.create(name, { labels });
    const pages = await allPages(http, "/api/v1/configmaps", { limit: 1, labelSelector: `both=${one.namespace}` });
    const found = pages.flatMap((p) => p.items().map((o) => `${o.metadata.namespace}/${o.metadata.name}`));
    const expected = [one, two].flatMap((m) => [`${m.namespace}/x`, `${m.namespace}/y`]).sort();
    assert.deepEqual(found, expected);
  });
}
