import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import type { Follower, ObjectSource } from "@orch/auth/object-source.js";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/runtime/clock.js";
import type { FlowConfig } from "./config.js";
import { followFlowConfig } from "./config-source.js";

const object = (name: string): AnyObject => ({ metadata: { name, uid: `uid-${name}` }, spec: { of: name } });

test("a configuration is told when both kinds are there whole, and after every change", () => {
  const followers = new Map<string, Follower>();
  let stopped = 0;
  const objects: ObjectSource = {
    get: () => Promise.resolve(undefined),
    follow({ resource }, follower) {
      followers.set(resource, follower);
      return { stop: () => void stopped++ };
    },
  };
  const clock = createManualClock();
  const told: FlowConfig[] = [];
  const source = followFlowConfig({
    naming: createNaming("kubernetes"),
    clock,
    objects,
    changed: (config) => void told.push(config),
  });
  const names = (): unknown => {
    clock.advance(100);
    const last = told.at(-1);
    return last === undefined ? undefined : [last.schemas.map((s) => s.name), last.levels.map((l) => l.name)];
  };
  source.start();
  followers.get("flowschemas")?.replaced([object("a")], 0);
  assert.equal(names(), undefined);
  followers.get("prioritylevelconfigurations")?.replaced([object("p")], 0);
  assert.deepEqual(names(), [["a"], ["p"]]);
  assert.deepEqual(told[0]?.schemas[0], { name: "a", uid: "uid-a", spec: { of: "a" } });
  followers.get("flowschemas")?.changed(object("b"));
  followers.get("flowschemas")?.deleted(object("a"));
  assert.deepEqual(names(), [["b"], ["p"]]);
  assert.equal(told.length, 2, "changes that come together are told together");
  followers.get("flowschemas")?.replaced([], 0);
  assert.deepEqual(names(), [[], ["p"]], "what vanished while nobody looked is gone");
  source.stop();
  assert.equal(stopped, 2);
});
