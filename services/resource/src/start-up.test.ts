import assert from "node:assert/strict";
import { test } from "node:test";
import { type StartUpHook, startUpHooks } from "@orch/rpc/start-up-hooks.js";
import { createStartUp } from "./start-up.js";

test("each hook is unfinished until whoever took it says otherwise", () => {
  const shown = new Set<StartUpHook>();
  const startUp = createStartUp((hook) => {
    shown.add(hook);
    return () => shown.delete(hook);
  });
  assert.deepEqual([...shown], [...startUpHooks]);
  const finished = startUp.finishes("rbac/bootstrap-roles");
  assert.deepEqual(startUp.unfinished, startUpHooks);
  finished();
  finished();
  const rest = startUpHooks.filter((hook) => hook !== "rbac/bootstrap-roles");
  assert.deepEqual(startUp.unfinished, rest);
  assert.deepEqual([...shown], rest);
});

test("a hook is taken once", () => {
  const startUp = createStartUp(() => () => {});
  startUp.finishes("rbac/bootstrap-roles");
  assert.throws(() => startUp.finishes("rbac/bootstrap-roles"), /taken already/);
});
