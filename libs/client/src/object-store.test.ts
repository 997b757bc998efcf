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
  return { store, told, errors, at };
}

test("an index finds objects by what they are now", () => {
  const { store, at } = setup();
  store.replace({ items: [object("a@1 red"), object("b@1 red blue"), object("c@1")] });
  assert.deepEqual([at("red"), at("blue"), at("green")], ["a b", "b", ""]);
  store.apply({ type: "MODIFIED", object: object("a@2 green green") });
  assert.deepEqual([at("red"), at("blue"), at("green")], ["b", "b", "a"]);
  store.apply({ type: "DELETED", object: object("b@3 blue") });
  store.replace({ items: [object("c@1")] });
  assert.deepEqual([at("red"), at("blue"), at("green")], ["", "", ""]);
});

test("an index that nobody asked for is refused", () => {
  const { store } = setup();
  assert.throws(() => store.byIndex(() => [], "red"), TypeError);
});

test("a list tells of what has come, changed and gone, a watch of each change", () => {
  const { store, told } = setup();
  store.replace({ items: [object("a@1 red"), object("b@1 blue")] });
  store.replace({ items: [object("b@1"), object("c@2")] });
  store.apply({ type: "MODIFIED", object: object("b@3") });
  store.apply({ type: "BOOKMARK", object: object("@4") });
  store.apply({ type: "DELETED", object: object("b@5") });
  store.apply({ type: "DELETED", object: object("b@5") });
  assert.deepEqual(told, ["+a", "+b", "-1 red", "+c", "~b:1>3", "-5 "]);
  assert.deepEqual([...store.objects.keys()], ["ns/c"]);
});

test("a handler that throws misses its change and nothing else", () => {
  const { store, told, errors } = setup();
  store.replace({ items: [object("bad@1 red"), object("a@1")] });
  store.apply({ type: "MODIFIED", object: object("bad@2 red") });
  assert.deepEqual(told, ["+bad", "+a", "~bad:1>2"]);
  assert.equal(errors.length, 1);
});
