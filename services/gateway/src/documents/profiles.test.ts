import assert from "node:assert/strict";
import { test } from "node:test";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { createManualClock, settled } from "@orch/status/testing/manual-clock.js";
import { isLongRunning } from "../long-running.js";
import { parsePath } from "../path.js";
import { fakeExchange } from "../testing/fake-exchange.js";
import { answerProfiles } from "./profiles.js";

function setup() {
  const clock = createManualClock();
  return { clock, profiling: createProfiling({ clock, argv: ["orch", "serve"] }) };
}

test("a profile is answered with its name, and what cannot be had with why", async () => {
  const { clock, profiling } = setup();
  const exchange = fakeExchange({ target: "/debug/pprof/heap?seconds=90" });
  const done = answerProfiles(exchange, profiling);
  while (clock.waiting() === 0) await settled();
  clock.advance(90_000);
  await done;
  const { code, header, body } = await exchange.answered;
  assert.equal(code, 200);
  assert.deepEqual(header("content-disposition"), ['attachment; filename="heap.pb.gz"']);
  assert.deepEqual([...body.subarray(0, 2)], [0x1f, 0x8b]);
  const unknown = fakeExchange({ target: "/debug/pprof/trace" });
  await answerProfiles(unknown, profiling);
  assert.deepEqual(
    [(await unknown.answered).code, (await unknown.answered).body.toString()],
    [404, "Unknown profile\n"],
  );
});

test("a client that goes away ends its profile", async () => {
  const { clock, profiling } = setup();
  const exchange = fakeExchange({ target: "/debug/pprof/profile" });
  const done = answerProfiles(exchange, profiling);
  while (clock.waiting() === 0) await settled();
  exchange.leave();
  await done;
  assert.equal(clock.waiting(), 0);
});

test("profiles hold no seat and have no time limit, whatever else is below /debug does", () => {
  const lasts = (path: string): boolean => isLongRunning({ verb: "get", route: parsePath(path) });
  assert.deepEqual(["/debug/pprof/profile", "/debug/pprof/", "/debug/flags/v", "/apis"].map(lasts), [
    true,
    true,
    false,
    false,
  ]);
});
