import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Query } from "../harness/http.js";
import { freshMaps, type Maps, namesOf, versionOf } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const listExpired = "The resourceVersion for the provided list is too old.";
const tokenExpired = /^The provided continue parameter is too old to display a consistent list result\./;

interface Forgotten {
  readonly maps: Maps;
  /** A version of before, with `a`, `b` and `c`. */
  readonly then: string;
  /** Of a list that began then, behind `a`. */
  readonly token: string;
}

/**
 * Versions that store and caches have forgotten (rules: Errors, 410; Paged lists, 3). The last of the suites: it makes
 * them forget.
 */
export function forgottenSuite(on: On): void {
  let made: Promise<Forgotten> | undefined;
  const forgotten = (): Promise<Forgotten> => {
    made ??= forget(on);
    return made;
  };

  const lists: readonly (readonly [query: Query, found: string | undefined])[] = [
    [{ resourceVersionMatch: "Exact" }, undefined],
    [{ resourceVersionMatch: "Exact", limit: 2 }, undefined],
    [{ limit: 2 }, undefined],
    [{ limit: 2, labelSelector: "a!=b" }, undefined],
    [{}, "bcd"],
    [{ resourceVersionMatch: "NotOlderThan" }, "bcd"],
    [{ resourceVersionMatch: "NotOlderThan", limit: 2 }, "bc"],
  ];
  for (const [query, found] of lists) {
    const title = `a list of a forgotten version with ${JSON.stringify(query)}`;
    test(`${title} ${found === undefined ? "is 410" : "is the newest"}`, async () => {
      const { maps, then } = await forgotten();
      const answer = await on().http.get(maps.path(), { ...query, resourceVersion: then });
      if (found === undefined) assertFailure(answer, { code: 410, reason: "Expired", message: listExpired });
      else assert.equal(namesOf(answer.items()).join(""), found);
    });
  }

  test("a get of a forgotten version is the newest object", async () => {
    const { maps, then } = await forgotten();
    const { http } = on();
    assert.equal((await http.get(maps.path("b"), { resourceVersion: then })).status, 200);
    assert.equal((await http.get(maps.path("a"), { resourceVersion: then })).status, 404);
  });

  for (const selector of ["", "a!=b"]) {
    test(`the next page of a forgotten list${selector && " that selects"} is 410 with a token that goes on`, async () => {
      const { maps, token } = await forgotten();
      const { http } = on();
      const page = (continueToken: unknown): Promise<Answer> =>
        http.get(maps.path(), {
          limit: 2,
          continue: String(continueToken),
          ...(selector && { labelSelector: selector }),
        });
      const expired = await page(token);
      assertFailure(expired, { code: 410, reason: "Expired", message: tokenExpired });
      const next = await page(expired.at("metadata.continue"));
      assert.equal(namesOf(next.items()).join(""), "bc", "the newest state behind the last page");
      assert.equal(next.at("metadata.remainingItemCount"), selector === "" ? 1 : undefined);
      const last = await page(next.at("metadata.continue"));
      assert.equal(namesOf(last.items()).join(""), "d");
      assert.equal(last.at("metadata.resourceVersion"), next.at("metadata.resourceVersion"));
      assert.equal(last.at("metadata.continue") ?? "", "");
    });
  }

  test("a watch from a forgotten version is one event that says so", async () => {
    const { maps, then } = await forgotten();
    for (const query of [{}, { sendInitialEvents: false, resourceVersionMatch: "NotOlderThan" }]) {
      const watch = await on().http.watch(maps.path(), { ...query, resourceVersion: then });
      const events = await watch.rest();
      assert.equal(events.map(({ type }) => type).join(), "ERROR");
      const status: Readonly<Record<string, unknown>> = { ...events[0]?.object };
      assert.equal(status["code"], 410);
      assert.equal(status["reason"], "Expired");
      assert.match(String(status["message"]), new RegExp(`^too old resource version: ${then} \\([0-9]+\\)$`));
    }
  });

  test("a streaming list from a forgotten version is the newest state", async () => {
    const { maps, then } = await forgotten();
    const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: then };
    const watch = await on().http.watch(maps.path(), query);
    assert.equal(namesOf((await watch.take(3)).map(({ object }) => object)).join(""), "bcd");
    watch.close();
  });
}

async function forget(on: On): Promise<Forgotten> {
  const { http, target } = on();
  const maps = await freshMaps(http);
  for (const name of ["a", "b"]) await maps.create(name);
  const then = versionOf(await maps.create("c"));
  const first = await http.get(maps.path(), { limit: 1 });
  await maps.remove("a");
  await maps.create("d");
  await target.forget();
  return { maps, then, token: String(first.at("metadata.continue")) };
}
