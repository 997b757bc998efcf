import assert from "node:assert/strict";
import { test } from "node:test";
import { createObjectStore, type Index } from "./object-store.js";
import type { ApiObject } from "./objects.js";

interface Colored extends ApiObject {
  readonly colors: readonly string[];
}

/** `a@3 red blue`: an object, its version and what it is found by. */
function object(text: string): Colored {
  const [name = "", ...colors] = text.split(" ");
  const [, plain = "", resourceVersion = ""] = /^(.*)@(.*)$/.exec(name) ?? [];
  return { metadata: { name: plain, namespace: "ns", uid: plain, resourceVersion }, colors };
}

const byColor: Index<Colored> = ({ colors }) => colors;

function setup() {
  const told: string[] = [];
  const errors: unknown[] = [];
  const store = createObjectStore<Colored>({
    keep: ({ metadata, colors }) => ({ metadata, colors: Array.isArray(colors) ? colors : [] }),
    indexes: [byColor],
    onError: (error) => errors.push(error),
    handlers: {
      added: ({ metadata }) => {
        told.push(`+${metadata.name}`);
        if (metadata.name === "bad") throw new Error("a handler");
      },
      modified: ({ metadata }, before) =>
        void told.push(`~${metadata.name}:${before.metadata.resourceVersion}>${metadata.resourceVersion}`),
      deleted: (last, kept) => void told.push(`-${last.metadata.resourceVersion} ${kept.colors}`),
    },
  });
  const at = (color: string): string => [...store.byIndex(byColor, color)].map((o) => o.metadata.name).join(" ");
  const list = (...pages: readonly (readonly Colored[])[]): void => {
    const { page, done } = store.begin();
    for (const items of pages) page(items);
    done();
  };
  return { store, list, told, errors, at };
}

test("an index finds objects by what they are now", () => {
  const { store, list, at } = setup();
  list([object("a@1 red"), object("b@1 red blue"), object("c@1")]);
  assert.deepEqual([at("red"), at("blue"), at("green")], ["a b", "b", ""]);
  store.apply({ type: "MODIFIED", object: object("a@2 green green") });
  assert.deepEqual([at("red"), at("blue"), at("green")], ["b", "b", "a"]);
  store.apply({ type: "DELETED", object: object("b@3 blue") });
  list([object("c@1")]);
  assert.deepEqual([at("red"), at("blue"), at("green")], ["", "", ""]);
});

test("an index that nobody asked for is refused", () => {
  const { store } = setup();
  assert.throws(() => store.byIndex(() => [], "red"), TypeError);
});

test("a list tells of what has come, changed and gone, a watch of each change", () => {
  const { store, list, told } = setup();
  list([object("a@1 red"), object("b@1 blue")]);
  list([object("b@1"), object("c@2")]);
  store.apply({ type: "MODIFIED", object: object("b@3") });
  store.apply({ type: "BOOKMARK", object: object("@4") });
  store.apply({ type: "DELETED", object: object("b@5") });
  store.apply({ type: "DELETED", object: object("b@5") });
  assert.deepEqual(told, ["+a", "+b", "-1 red", "+c", "~b:1>3", "-5 "]);
  assert.deepEqual([...store.objects.keys()], ["ns/c"]);
});

test("a handler that throws misses its change and nothing else", () => {
  const { store, list, told, errors } = setup();
  list([object("bad@1 red"), object("a@1")]);
  store.apply({ type: "MODIFIED", object: object("bad@2 red") });
  assert.deepEqual(told, ["+bad", "+a", "~bad:1>2"]);
  assert.equal(errors.length, 1);
});

test("pages are kept as they come, and seen once the list is whole", () => {
  const kept: string[] = [];
  const told: unknown[] = [];
  const store = createObjectStore<ApiObject>({
    keep: ({ metadata }) => {
      kept.push(metadata.name ?? "");
      return { metadata };
    },
    handlers: { added: (seen) => told.push(seen) },
    listTells: "kept",
    onError: (error) => assert.fail(String(error)),
  });
  const listing = store.begin();
  listing.page([object("a@1 red")]);
  assert.deepEqual([kept, told, store.objects.size], [["a"], [], 0]);
  listing.page([object("b@1 blue")]);
  assert.deepEqual([kept, told, store.objects.size], [["a", "b"], [], 0]);
  listing.done();
  assert.deepEqual(told, [...store.objects.values()]);
  assert.deepEqual([...store.objects.keys()], ["ns/a", "ns/b"]);
  assert.equal(store.objects.get("ns/a")?.["colors"], undefined);
});

test("handlers are given the whole objects of every page where they do not ask for less", () => {
  const told: unknown[] = [];
  const store = createObjectStore<ApiObject>({
    keep: ({ metadata }) => ({ metadata }),
    handlers: { added: ({ colors }) => told.push(colors) },
    onError: (error) => assert.fail(String(error)),
  });
  const listing = store.begin();
  listing.page([object("a@1 red")]);
  listing.page([object("b@1 blue")]);
  listing.done();
  assert.deepEqual(told, [["red"], ["blue"]]);
});

test("a list that is never done changes nothing, and what left is told after the last page", () => {
  const { store, list, told } = setup();
  list([object("a@1 red")], [object("b@1 blue")]);
  told.splice(0);
  store.begin().page([object("c@2")]);
  assert.deepEqual([...store.objects.keys()], ["ns/a", "ns/b"]);
  const { page, done } = store.begin();
  page([object("d@3")]);
  page([object("b@1 blue")]);
  assert.deepEqual(told, []);
  done();
  assert.deepEqual(told, ["-1 red", "+d"]);
});
