import assert from "node:assert/strict";
import { test } from "node:test";
import type { Http, Query } from "../harness/http.js";
import { freshMaps, type Maps, namesOf, versionOf } from "../harness/manifests.js";
import { allPages } from "../harness/pages.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const far = 9_000_000_000_000;

/** What docs/rules.md calls it in its tables (Resource version semantics); a number is the code of an answer that refuses. */
type Cell = "Most Recent" | "Any" | "NotOlderThan" | "Exact" | "Continue Token, Exact" | 422 | 400;

/** The list table, row by row: version unset, `0`, non-zero. */
const listTable: readonly (readonly [match: string, paging: Paging, cells: readonly [Cell, Cell, Cell]])[] = [
  ["", "no limit", ["Most Recent", "Any", "NotOlderThan"]],
  ["", "a limit", ["Most Recent", "Any", "Exact"]],
  ["", "a token", ["Continue Token, Exact", "Continue Token, Exact", 400]],
  ["Exact", "no limit", [422, 422, "Exact"]],
  ["Exact", "a limit", [422, 422, "Exact"]],
  ["NotOlderThan", "no limit", [422, "Any", "NotOlderThan"]],
  ["NotOlderThan", "a limit", [422, "Any", "NotOlderThan"]],
];
type Paging = "no limit" | "a limit" | "a token";

interface History {
  /** Its last state's first version. */
  readonly then: string;
  readonly now: string;
}

/** States of a collection: nothing, `a`, then `ab`, `b`, now `bc`. */
async function history(maps: Maps): Promise<History> {
  await maps.create("a");
  const then = versionOf(await maps.create("b"));
  await maps.remove("a");
  return { then, now: versionOf(await maps.create("c")) };
}
const states = ["", "a", "ab", "b", "bc"];

/** Resource version semantics of get and list (rules: Resource version semantics). */
export function versionSuite(on: On): void {
  lists(on);
  gets(on);
}

function lists(on: On): void {
  for (const [match, paging, cells] of listTable) {
    for (const [column, version] of ["", "0", "then"].entries()) {
      const cell = cells[column] ?? assert.fail();
      const shown = version === "then" ? "non-zero" : version || "unset";
      test(`list: match ${match || "unset"}, ${paging}, version ${shown}: ${cell}`, async () => {
        const { http } = on();
        const maps = await freshMaps(http);
        const told = await history(maps);
        const query: Query = {
          ...(match === "" ? {} : { resourceVersionMatch: match }),
          ...(version === "" ? {} : { resourceVersion: version === "then" ? told.then : version }),
          ...(paging === "no limit" ? {} : { limit: 1 }),
        };
        if (paging === "a token") await checkToken(http, { maps, query, cell });
        else await checkList(http, { maps, query, cell, told });
      });
    }
  }

  test("an exact list works at every version since the collection began, in pages too", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const versions: string[] = [];
    for (const name of ["a", "b", "c", "d"]) versions.push(versionOf(await maps.create(name)));
    for (const [i, resourceVersion] of versions.entries()) {
      const list = await http.get(maps.path(), { resourceVersion, resourceVersionMatch: "Exact" });
      assert.equal(namesOf(list.items()).join(""), "abcd".slice(0, i + 1));
      assert.equal(list.at("metadata.resourceVersion"), resourceVersion);
    }
    const first = await http.get(maps.path(), { resourceVersion: versions[2] ?? "", limit: 2 });
    const rest = await http.get(maps.path(), { limit: 2, continue: String(first.at("metadata.continue")) });
    assert.equal(namesOf([...first.items(), ...rest.items()]).join(""), "abc");
    assert.equal(rest.at("metadata.resourceVersion"), versions[2]);
  });

  const ahead: readonly (readonly [what: string, name: string | undefined, query: Query])[] = [
    ["a get", "a", {}],
    ["a list", undefined, {}],
    ["a page", undefined, { limit: 1 }],
    ["an exact list", undefined, { resourceVersionMatch: "Exact" }],
    ["a list that is to be not older", undefined, { resourceVersionMatch: "NotOlderThan" }],
    ["a selected list", undefined, { labelSelector: "a=b" }],
  ];
  for (const [what, name, query] of ahead) {
    test(`${what} of a version that is far ahead is answered 504 with the reason and when to come again`, async () => {
      const { http } = on();
      const maps = await freshMaps(http);
      await maps.create("a");
      const answer = await http.get(maps.path(name), { ...query, resourceVersion: far });
      const message = new RegExp(`^Timeout: Too large resource version: ${far}, current: [0-9]+$`);
      assertFailure(answer, { code: 504, reason: "Timeout", message });
      assert.equal(answer.headers["retry-after"], "1");
      const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
      assert.deepEqual(answer.at("details"), { causes, retryAfterSeconds: 1 });
    });
  }
}

interface ListCheck {
  readonly maps: Maps;
  readonly query: Query;
  readonly cell: Cell;
}

async function checkList(http: Http, { maps, query, cell, told }: ListCheck & { told: History }): Promise<void> {
  if (typeof cell === "number") {
    assertFailure(await http.get(maps.path(), query), {
      code: cell,
      reason: "Invalid",
      message: /resourceVersionMatch/,
    });
    return;
  }
  const pages = await allPages(http, maps.path(), query);
  for (const page of pages) assert.equal(page.status, 200, page.text);
  const names = pages.flatMap((page) => namesOf(page.items())).join("");
  const [version, ...others] = new Set(pages.map((page) => String(page.at("metadata.resourceVersion"))));
  assert.deepEqual(others, [], "one version for all pages");
  const from = (oldest: string): readonly string[] => states.slice(states.indexOf(oldest));
  if (cell === "Exact") {
    assert.equal(names, "ab");
    assert.equal(version, told.then);
  } else if (cell === "Most Recent") {
    assert.equal(names, "bc");
    assert.ok(Number(version) >= Number(told.now));
  } else if (cell === "NotOlderThan") {
    assert.ok(from("ab").includes(names), names);
    assert.ok(Number(version) >= Number(told.then));
    const newest = await allPages(http, maps.path(), { ...query, resourceVersion: told.now });
    if (query["limit"] === undefined) assert.equal(newest.flatMap((page) => namesOf(page.items())).join(""), "bc");
  } else assert.ok(states.includes(names), names);
}

async function checkToken(http: Http, { maps, query, cell }: ListCheck): Promise<void> {
  const first = await http.get(maps.path(), { limit: 1 });
  assert.equal(namesOf(first.items()).join(""), "b");
  await maps.create("bb");
  await maps.remove("c");
  const next = await http.get(maps.path(), { ...query, continue: String(first.at("metadata.continue")) });
  if (cell === 400) {
    const message = "specifying resource version is not allowed when using continue";
    assertFailure(next, { code: 400, reason: "BadRequest", message });
    return;
  }
  assert.equal(namesOf(next.items()).join(""), "c");
  assert.equal(next.at("metadata.resourceVersion"), first.at("metadata.resourceVersion"));
  assert.equal(next.at("metadata.continue") ?? "", "");
}

function gets(on: On): void {
  const getTable: readonly (readonly [version: string, cell: Cell])[] = [
    ["unset", "Most Recent"],
    ["0", "Any"],
    ["non-zero", "NotOlderThan"],
  ];
  for (const [version, cell] of getTable) {
    test(`get: version ${version}: ${cell}`, async () => {
      const { http } = on();
      const maps = await freshMaps(http);
      let newest = await maps.create("a", { data: { n: "0" } });
      for (let n = 1; n <= 8; n++) {
        const older = newest;
        newest = await maps.change(older, { n: String(n) });
        const get = (resourceVersion?: string) =>
          http.get(maps.path("a"), resourceVersion === undefined ? {} : { resourceVersion });
        if (cell === "Most Recent") assert.equal((await get()).at("data.n"), String(n));
        else if (cell === "Any") assert.ok([200, 404].includes((await get("0")).status));
        else {
          assert.equal((await get(versionOf(newest))).at("data.n"), String(n));
          const atLeastOlder = Number((await get(versionOf(older))).at("data.n"));
          assert.ok(atLeastOlder === n - 1 || atLeastOlder === n, String(atLeastOlder));
        }
      }
      const absent = await http.get(
        maps.path("b"),
        cell === "NotOlderThan" ? { resourceVersion: versionOf(newest) } : {},
      );
      assertFailure(absent, { code: 404, reason: "NotFound" });
    });
  }

  test("a list is the state at its version: a watch from there has exactly what is missing", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) {
        await maps.create(`x${i}`);
        if (i % 3 === 0) await maps.remove(`x${i}`);
      }
    })();
    const pairs: { list: ReadonlyMap<string, string>; from: string }[] = [];
    for (let i = 0; i < 10; i++) {
      const list = await http.get(maps.path());
      pairs.push({
        list: new Map(list.items().map((o) => [String(o.metadata.name), versionOf(o)])),
        from: String(list.at("metadata.resourceVersion")),
      });
    }
    writing = false;
    await writer;
    const final = new Map((await http.get(maps.path())).items().map((o) => [String(o.metadata.name), versionOf(o)]));
    const end = await maps.create("zz-end");
    for (const { list, from } of pairs) {
      const state = new Map(list);
      const watch = await http.watch(maps.path(), { resourceVersion: from });
      for (;;) {
        const [event] = await watch.take(1);
        const { name = "" } = event?.object.metadata ?? {};
        if (event === undefined || versionOf(event.object) === versionOf(end)) break;
        if (event.type === "DELETED") assert.ok(state.delete(name), event.text);
        else {
          assert.equal(event.type, state.has(name) ? "MODIFIED" : "ADDED", event.text);
          state.set(name, versionOf(event.object));
        }
      }
      watch.close();
      assert.deepEqual([...state].sort(), [...final].sort());
    }
  });
}
