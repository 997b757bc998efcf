import assert from "node:assert/strict";
import { test } from "node:test";
import { type Binding, matchKey } from "./keys.js";

const binding = (keys: string, more: Partial<Binding> = {}): Binding => ({ keys, help: keys, run: () => {}, ...more });
const bindings = [binding("j"), binding("g p"), binding("g d"), binding("Control+k", { always: true }), binding("/")];

/** What runs of a row of keys. */
function pressed(keys: readonly string[], isTyping = false): readonly string[] {
  let pending = "";
  return keys.flatMap((key) => {
    const control = key.startsWith("^");
    const match = matchKey(bindings, pending, { key: control ? key.slice(1) : key, control, isTyping });
    pending = match.pending;
    return match.binding === undefined ? [] : [match.binding.keys];
  });
}

test("keys and sequences of keys", () => {
  assert.deepEqual(pressed(["j", "g", "p", "g", "d", "/"]), ["j", "g p", "g d", "/"]);
});

test("a sequence that does not go on begins anew with the key that broke it", () => {
  assert.deepEqual(pressed(["g", "j", "p", "g", "g", "d"]), ["j", "g d"]);
});

test("who types is left alone, but for what always holds", () => {
  assert.deepEqual(pressed(["j", "g", "p", "/", "^K"], true), ["Control+k"]);
});
