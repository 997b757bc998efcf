import assert from "node:assert/strict";
import { test } from "node:test";
import { key } from "@orch/store/revision.js";
import { createLostKeys } from "./lost-keys.js";

const sealed = (...names: readonly string[]) => names.map((name) => ({ key: key(name), sealed: true }) as const);

function followers() {
  const lost = createLostKeys();
  const runs: string[] = [];
  const follow = (prefix: string) => lost.whenRetried(key(prefix), () => void runs.push(prefix));
  return { lost, follow, taken: () => runs.splice(0).join(" ") };
}

test("all who follow something lost look again, once, and nobody else", () => {
  const { lost, follow, taken } = followers();
  follow("/a/");
  follow("/");
  follow("/b/");
  lost.addFrom(sealed("/a/1"));
  lost.addFrom([{ key: key("/b/1") }]);
  lost.retry();
  assert.equal(taken(), "/a/ /");
  lost.retry();
  assert.equal(taken(), "");
});

test("who loaded before keys changed and follows after it looks again, once", () => {
  const { lost, follow, taken } = followers();
  lost.addFrom(sealed("/a/1"));
  lost.retry();
  const stop = follow("/a/");
  assert.equal(taken(), "/a/");
  stop();
  lost.addFrom(sealed("/a/1"));
  follow("/a/");
  assert.equal(taken(), "", "it was told with the keys of now");
  lost.retry();
  assert.equal(taken(), "/a/");
});

test("who has stopped is left alone, and with very many lost everybody looks", () => {
  const { lost, follow, taken } = followers();
  follow("/a/")();
  lost.addFrom(sealed("/a/1"));
  lost.retry();
  assert.equal(taken(), "");
  follow("/b/");
  lost.addFrom(sealed(...Array.from({ length: 2_000 }, (_, i) => `/a/${i}`)));
  lost.retry();
  assert.equal(taken(), "/b/");
});
