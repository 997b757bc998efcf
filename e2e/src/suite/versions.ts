import assert from "node:assert/strict";
import { test } from "node:test";
import type { Query } from "../harness/http.js";
import { freshMaps, type Maps, namesOf, versionOf } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import type { On } from "./scene.js";

const far = 9_000_000_000_000;

type Expected = "now" | "any" | "then" | "invalid" | "bad";

/** The list table of spec 1 (Resource version semantics), row by row; `then` is the version of an older state. */
const listTable: readonly (readonly [query: Query, expected: Expected])[] = [
  [{}, "now"],
  [{ resourceVersion: 0 }, "any"],
  [{ resourceVersion: "then" }, "now"],
  [{ limit: 50 }, "now"],
  [{ limit: 50, resourceVersion: 0 }, "any"],
  [{ limit: 50, resourceVersion: "then" }, "then"],
  [{ resourceVersionMatch: "Exact" }, "invalid"],
  [{ resourceVersionMatch: "Exact", resourceVersion: 0 }, "invalid"],
  [{ resourceVersionMatch: "Exact", resourceVersion: "then" }, "then"],
  [{ resourceVersionMatch: "Exact", limit: 50 }, "invalid"],
  [{ resourceVersionMatch: "Exact", limit: 50, resourceVersion: 0 }, "invalid"],
  [{ resourceVersionMatch: "Exact", limit: 50, resourceVersion: "then" }, "then"],
  [{ resourceVersionMatch: "NotOlderThan" }, "invalid"],
  [{ resourceVersionMatch: "NotOlderThan", resourceVersion: 0 }, "any"],
  [{ resourceVersionMatch: "NotOlderThan", resourceVersion: "then" }, "now"],
  [{ resourceVersionMatch: "NotOlderThan", limit: 50 }, "invalid"],
  [{ resourceVersionMatch: "NotOlderThan", limit: 50, resourceVersion: 0 }, "any"],
  [{ resourceVersionMatch: "NotOlderThan", limit: 50, resourceVersion: "then" }, "now"],
  [{ resourceVersionMatch: "Sometimes", resourceVersion: "then" }, "invalid"],
  [{ resourceVersion: "latest" }, "bad"],
];

/** Three states of a collection: `a`, then `a b`, then `b c`. */
async function history(maps: Maps): Promise<{ readonly then: string; readonly now: string }> {
  await maps.create("a");
  const then = versionOf(await maps.create("b"));
  await maps.remove("a");
  return { then, now: versionOf(await maps.create("c")) };
}

/** Resource version semantics of get and list (spec 1: Resource version semantics). */
export function versionSuite(on: On): void {
  lists(on);
  gets(on);
}

function lists(on: On): void {
  test("a list answers for each combination of version, match and limit as the table says", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const { then, now } = await history(maps);
    for (const [query, expected] of listTable) {
      const asked = { ...query, ...(query["resourceVersion"] === "then" ? { resourceVersion: then } : {}) };
      const answer = await http.get(maps.path(), asked);
      const what = JSON.stringify(query);
      if (expected === "invalid") assertFailure(answer, { code: 422, reason: "Invalid" });
      else if (expected === "bad") assertFailure(answer, { code: 400, reason: "BadRequest" });
      else if (expected === "then") {
        assert.equal(namesOf(answer.items()).join(""), "ab", what);
        assert.equal(answer.at("metadata.resourceVersion"), then, what);
      } else if (expected === "now" && asked.resourceVersion === undefined) {
        assert.equal(namesOf(answer.items()).join(""), "bc", what);
        assert.ok(Number(answer.at("metadata.resourceVersion")) >= Number(now), what);
      } else if (expected === "now") {
        // NotOlderThan: any state from then on will do.
        assert.ok(Number(answer.at("metadata.resourceVersion")) >= Number(then), what);
        assert.ok(["ab", "b", "bc"].includes(namesOf(answer.items()).join("")), what);
      } else assert.equal(answer.status, 200, what);
    }
  });

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

  test("a version that is far ahead is answered 504 with the reason and when to come again", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("a");
    const answers = await Promise.all([
      http.get(maps.path("a"), { resourceVersion: far }),
      http.get(maps.path(), { resourceVersion: far }),
      http.get(maps.path(), { resourceVersion: far, resourceVersionMatch: "Exact" }),
    ]);
    for (const answer of answers) {
      assertFailure(answer, { code: 504, reason: "Timeout", message: /Too large resource version/ });
      assert.equal(answer.headers["retry-after"], "1");
      assert.equal(answer.at("details.causes.0.reason"), "ResourceVersionTooLarge");
    }
  });
}

function gets(on: On): void {
  test("a get is Most Recent, Any or NotOlderThan, as its version says", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const old = await maps.create("a", { data: { n: "1" } });
    const young = await maps.change(old, { n: "2" });
    for (let i = 0; i < 8; i++) {
      assert.equal((await http.get(maps.path("a"))).at("data.n"), "2");
      assert.equal((await http.get(maps.path("a"), { resourceVersion: versionOf(young) })).at("data.n"), "2");
      const atLeastOld = await http.get(maps.path("a"), { resourceVersion: versionOf(old) });
      assert.ok(["1", "2"].includes(String(atLeastOld.at("data.n"))));
      const any = await http.get(maps.path("a"), { resourceVersion: 0 });
      assert.ok(any.status === 200 || any.status === 404);
    }
    assertFailure(await http.get(maps.path("a"), { resourceVersion: "one" }), { code: 400, reason: "BadRequest" });
    assertFailure(await http.get(maps.path("b"), { resourceVersion: versionOf(young) }), {
      code: 404,
      reason: "NotFound",
    });
  });

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
