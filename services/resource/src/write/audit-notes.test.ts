import assert from "node:assert/strict";
import { test } from "node:test";
import { note } from "./audit-notes.js";

test("the first value of a key stays, and what is no key is left out", () => {
  const noted = new Map<string, string>();
  const notes = { noted, patches: false };
  note({ notes }, [
    { key: "w.example.com/k", value: "first" },
    { key: "w.example.com/a/b", value: "of no key" },
  ]);
  note({ notes }, [{ key: "w.example.com/k", value: "second" }]);
  assert.deepEqual([...noted], [["w.example.com/k", "first"]]);
});
