import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isObject } from "@orch/schema/descriptor.js";
import { openBed, type Subject } from "../../testing/bed.js";
import { refusal } from "../../testing/refusal.js";

const start = async (t: TestContext): Promise<Subject> => (await openBed(t, "orch")).start();
type Query = Readonly<Record<string, string>>;

interface Maps {
  /** Names of what was deleted. */
  remove(options: Query, body?: object): Promise<readonly string[]>;
  refused(options: Query, body?: object): Promise<string>;
  /** The resourceVersion after it. */
  create(name: string): Promise<string>;
  /** Names of what is there. */
  left(): Promise<readonly string[]>;
}

function mapsOf({ write, read }: Subject): Maps {
  const namesIn = (list: unknown): readonly string[] => {
    assert.ok(isObject(list) && Array.isArray(list["items"]));
    return list["items"].map((item: { readonly metadata: { readonly name: string } }) => item.metadata.name);
  };
  const call = (options: Query, body?: object) => write({ verb: "deletecollection", options }, body);
  return {
    remove: async (options, body) => namesIn(read(await call(options, body))),
    refused: (options, body) => refusal(call(options, body)),
    create: async (name) => read(await write({}, { metadata: { name } })).metadata.resourceVersion ?? "",
    left: async () => namesIn(read(await call({ dryRun: "All" }))),
  };
}

test("illegal list options of a deletecollection are refused before anything is deleted", async (t) => {
  const maps = mapsOf(await start(t));
  const version = await maps.create("a");
  const rows: readonly (readonly [Query, RegExp, object?])[] = [
    [{ resourceVersionMatch: "Exact" }, /^422 .*resourceVersionMatch is forbidden unless resourceVersion is provided/],
    [{ resourceVersion: "0", resourceVersionMatch: "Exact" }, /^422 .*forbidden for resourceVersion "0"/],
    [{ resourceVersion: version, resourceVersionMatch: "Newest" }, /^422 .*Unsupported value: "Newest"/],
    [{ sendInitialEvents: "true" }, /^422 .*sendInitialEvents is forbidden for list/],
    [{ sendInitialEvents: "false" }, /^422 .*sendInitialEvents is forbidden for list/],
    [{ resourceVersion: "x" }, /^400 invalid resource version: .*invalid syntax/],
    [{ resourceVersion: "-1" }, /^400 invalid resource version/],
    [{ timeoutSeconds: "soon" }, /^400 strconv.ParseInt: parsing "soon": invalid syntax/],
    [{ limit: "many" }, /^400 strconv.ParseInt/],
    [{ resourceVersion: "1000000" }, /^504 Timeout: Too large resource version: 1000000, current: \d+/],
    [{ resourceVersion: "1000000", resourceVersionMatch: "Exact" }, /^504 Timeout: Too large resource version/],
    [{ labelSelector: "a==b==c" }, /^400 /],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: "true" }, /^422 .*is not allowed with DELETECOLLECTION/],
    [{ fieldSelector: "spec.nothing=1" }, /^400 /],
    [{ propagationPolicy: "Sometimes" }, /^422 .*propagationPolicy/],
    [{}, /^422 .*propagationPolicy/, { propagationPolicy: "Sometimes" }],
    [{}, /^422 .*dryRun/, { dryRun: ["Some"] }],
    [{ resourceVersionMatch: "Exact" }, /^422 .*unless resourceVersion/, { propagationPolicy: "Background" }],
  ];
  for (const [query, why, body] of rows) assert.match(await maps.refused(query, body), why, JSON.stringify(query));
  assert.deepEqual(await maps.left(), ["a"]);
});

test("a token goes with no version and no match", async (t) => {
  const maps = mapsOf(await start(t));
  const version = await maps.create("a");
  const token = { continue: "anything" };
  assert.match(
    await maps.refused({ ...token, resourceVersion: version }),
    /^400 specifying resource version is not allowed/,
  );
  const matched = { ...token, resourceVersion: version, resourceVersionMatch: "NotOlderThan" };
  assert.match(await maps.refused(matched), /^422 .*forbidden when continue is provided/);
  assert.deepEqual(await maps.left(), ["a"]);
});

test("a deletecollection at a version deletes what was there then, and at least as new what is there now", async (t) => {
  const maps = mapsOf(await start(t));
  await maps.create("a");
  const then = await maps.create("b");
  await maps.create("c");
  const exact = { resourceVersion: then, resourceVersionMatch: "Exact" };
  assert.deepEqual(await maps.remove({ ...exact, dryRun: "All" }), ["a", "b"]);
  assert.deepEqual(await maps.remove({ resourceVersion: then, limit: "1", dryRun: "All" }), ["a"], "a page is exact");
  assert.deepEqual(await maps.remove(exact), ["a", "b"]);
  assert.deepEqual(await maps.left(), ["c"]);
  await maps.create("d");
  for (const query of [
    { resourceVersion: then, dryRun: "All" },
    { resourceVersion: then, resourceVersionMatch: "NotOlderThan", dryRun: "All" },
    { resourceVersion: "0", resourceVersionMatch: "NotOlderThan", timeoutSeconds: "5", dryRun: "All" },
    { resourceVersion: "0", timeoutSeconds: "5" },
  ]) {
    assert.deepEqual(await maps.remove(query), ["c", "d"], JSON.stringify(query));
  }
  assert.deepEqual(await maps.left(), []);
});
