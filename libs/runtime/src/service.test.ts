import assert from "node:assert/strict";
import { test } from "node:test";
import { type Service, together } from "./service.js";

function recorded(name: string, events: string[], failing?: "start" | "stop"): Service {
  return {
    async start() {
      events.push(`start ${name}`);
      if (failing === "start") throw new Error(`${name} can not start`);
    },
    async stop() {
      events.push(`stop ${name}`);
      if (failing === "stop") throw new Error(`${name} can not stop`);
    },
  };
}

test("services start in order and stop in the reverse order, once", async () => {
  const events: string[] = [];
  const all = together(["a", "b", "c"].map((n) => recorded(n, events)));
  await all.start();
  await all.stop();
  await all.stop();
  assert.deepEqual(events, ["start a", "start b", "start c", "stop c", "stop b", "stop a"]);
});

test("a service that can not start stops those before it", async () => {
  const events: string[] = [];
  const all = together([recorded("a", events), recorded("b", events, "start"), recorded("c", events)]);
  await assert.rejects(all.start(), /b can not start/);
  assert.deepEqual(events, ["start a", "start b", "stop a"]);
});

test("a failing stop does not keep the others from stopping", async () => {
  const events: string[] = [];
  const all = together([recorded("a", events), recorded("b", events, "stop")]);
  await all.start();
  await assert.rejects(all.stop(), AggregateError);
  assert.deepEqual(events.slice(2), ["stop b", "stop a"]);
});
