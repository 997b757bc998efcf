import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { createManualClock, type ManualClock, settled } from "@orch/status/testing/manual-clock.js";
import { Profile } from "pprof-format";
import type { ProfilingAnswer } from "../service.js";
import { createProfiling } from "./profiling.js";

interface Asking {
  readonly answered: Promise<ProfilingAnswer>;
  /** The client goes away. */
  leave(): void;
}

function setup() {
  const clock = createManualClock(1_700_000_000_000);
  const profiling = createProfiling({ clock, argv: ["node", "main.js", "--v=4"] });
  const ask = (target: string, method = "GET"): Asking => {
    const { pathname: path, searchParams: query } = new URL(target, "http://localhost/debug/pprof/");
    const leaving: (() => void)[] = [];
    const onClose = (run: () => void): void => void leaving.push(run);
    const answered = Promise.resolve(profiling.answer({ method, path, query, onClose }));
    const leave = (): void => {
      for (const run of leaving) run();
    };
    return { answered, leave };
  };
  return { clock, profiling, ask };
}

/** A profile is being taken: what it waits for is time. */
async function begun(clock: ManualClock): Promise<void> {
  while (clock.waiting() === 0) await settled();
}

/** Uses 200 ms of this thread, in a function that a profile can name. */
function burnsTime(): number {
  const before = process.cpuUsage().user;
  let sum = 0;
  while (process.cpuUsage().user - before < 200_000) for (let i = 0; i < 10_000; i++) sum += Math.sqrt(i);
  return sum;
}

function keepsMemory(): readonly object[] {
  return Array.from({ length: 100_000 }, (_, i) => ({ i, text: `text ${i}` }));
}

function readable({ code, type, body }: ProfilingAnswer) {
  assert.deepEqual([code, type], [200, "application/octet-stream"]);
  assert.ok(Buffer.isBuffer(body));
  const profile = Profile.decode(gunzipSync(body));
  const text = (index: number | bigint): string => profile.stringTable.strings[Number(index)] ?? "";
  const functions = new Map(profile.function.map((each) => [Number(each.id), each]));
  const places = new Map(
    profile.location.map(({ id, line }) => [Number(id), functions.get(Number(line[0]?.functionId))]),
  );
  const stacks = profile.sample.map(({ locationId, value }) => ({
    names: locationId.map((id) => text(places.get(Number(id))?.name ?? 0)),
    files: locationId.map((id) => text(places.get(Number(id))?.filename ?? 0)),
    values: value.map(Number),
  }));
  return { profile, stacks, types: profile.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`) };
}

test("what uses the processor is in the CPU profile, with its file and its callers", async () => {
  const { clock, ask } = setup();
  const { answered } = ask("profile?seconds=90");
  await begun(clock);
  burnsTime();
  clock.advance(90_000);
  const { profile, stacks, types } = readable(await answered);
  assert.deepEqual(types, ["samples/count", "cpu/nanoseconds"]);
  assert.equal(profile.timeNanos, 1_700_000_000_000_000_000n);
  assert.equal(Number(profile.durationNanos), 90e9);
  const burning = stacks.filter(({ names }) => names[0] === "burnsTime");
  assert.ok(burning.length > 0);
  for (const { files, values } of burning) {
    assert.match(files[0] ?? "", /^\/.*profiling\.test\.js$/);
    assert.ok(files.length > 1 && values.length === 2 && values.every((value) => value > 0));
  }
  assert.ok(!stacks.some(({ names }) => names.some((name) => name === "(root)" || name === "(idle)")));
});

test("what allocates memory is in the profiles of memory: in use in one, all of it in the other", async () => {
  for (const [name, type] of [
    ["heap", "inuse_space/bytes"],
    ["allocs", "alloc_space/bytes"],
  ] as const) {
    const { clock, ask } = setup();
    const { answered } = ask(name);
    await begun(clock);
    const kept = keepsMemory();
    clock.advance(9_999);
    assert.equal(clock.waiting(), 1, "it takes 10 s where nobody says how long");
    clock.advance(1);
    const { stacks, types } = readable(await answered);
    assert.deepEqual(types, [type]);
    const bytes = stacks
      .filter(({ names }) => names.includes("keepsMemory"))
      .reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
    assert.ok(bytes > 1_000_000, `${kept.length} objects are ${bytes} bytes`);
  }
});

test("memory that is free again is not in the profile of what is in use", async () => {
  const { clock, ask } = setup();
  const { answered } = ask("heap");
  await begun(clock);
  assert.equal(keepsMemory().length, 100_000);
  clock.advance(10_000);
  const { stacks } = readable(await answered);
  const bytes = stacks
    .filter(({ names }) => names.includes("keepsMemory"))
    .reduce((sum, { values }) => sum + (values[0] ?? 0), 0);
  assert.ok(bytes < 1_000_000, `${bytes} bytes`);
});

for (const seconds of ["0", "301", "-1", "1.5", "1e2", "0x10", "%205", "many", "9".repeat(400)]) {
  test(`no profile of ${seconds.slice(0, 10)} seconds`, async () => {
    for (const name of ["profile", "heap", "allocs"]) {
      const { code, body } = await setup().ask(`${name}?seconds=${seconds}`).answered;
      assert.deepEqual([code, body], [400, 'invalid value for "seconds" - must be an integer from 1 to 300\n']);
    }
  });
}

test("the textual form of a profile is refused", async () => {
  const { code, body } = await setup().ask("heap?debug=1").answered;
  assert.deepEqual([code, body], [400, 'invalid value for "debug" - profiles are answered as profile.proto alone\n']);
});

test("one profile is taken at a time, and the next when it is done", async () => {
  const { clock, ask } = setup();
  const first = ask("profile");
  await begun(clock);
  const second = await ask("profile").answered;
  assert.equal(second.code, 500);
  assert.equal(second.body, "Could not enable CPU profiling: cpu profiling already in use\n");
  assert.deepEqual(second.headers, { "X-Go-Pprof": "1" });
  const other = await ask("heap").answered;
  assert.equal(other.body, "Could not enable heap profiling: cpu profiling already in use\n");
  clock.advance(30_000);
  readable(await first.answered);
  const next = ask("allocs?seconds=1");
  await begun(clock);
  assert.equal(
    (await ask("profile").answered).body,
    "Could not enable CPU profiling: allocation profiling already in use\n",
  );
  clock.advance(1_000);
  readable(await next.answered);
});

test("a client that goes away ends its profile, and nothing of it is left after a hundred of them", async () => {
  const { clock, ask } = setup();
  for (let i = 0; i < 100; i++) {
    const { answered, leave } = ask(i % 10 === 0 ? "profile" : i % 2 === 0 ? "heap" : "allocs");
    await begun(clock);
    leave();
    assert.equal((await answered).code, 503);
    assert.equal(clock.waiting(), 0);
  }
  const { answered } = ask("heap?seconds=300");
  await begun(clock);
  clock.advance(300_000);
  readable(await answered);
});

const pages: readonly (readonly [target: string, code: number, type: string, body: RegExp])[] = [
  ["", 200, "text/html; charset=utf-8", /<a href="heap">[\s\S]*<a href="profile">/],
  ["cmdline", 200, "text/plain; charset=utf-8", /^node\0main\.js\0--v=4$/],
  ["/debug/pprof", 301, "text/plain; charset=utf-8", /^$/],
  ...["trace", "goroutine", "symbol", "block", "mutex", "threadcreate", "profile/", "..%2f", "constructor"].map(
    (target) => [target, 404, "text/plain; charset=utf-8", /^Unknown profile\n$/] as const,
  ),
];
for (const [target, code, type, body] of pages) {
  test(`GET ${JSON.stringify(target)} is answered with ${code}`, async () => {
    const answer = await setup().ask(target).answered;
    assert.deepEqual([answer.code, answer.type], [code, type]);
    assert.match(answer.body.toString(), body);
  });
}

test("only reading is answered, and only below /debug/pprof", async () => {
  const { profiling, ask } = setup();
  const { code, headers } = await ask("profile", "POST").answered;
  assert.deepEqual([code, headers?.["Allow"]], [405, "GET"]);
  assert.equal((await ask("/debug/pprof").answered).headers?.["Location"], "/debug/pprof/");
  const covered = ["/debug/pprof", "/debug/pprof/", "/debug/pprof/a/b", "/debug/pproffs", "/debug", "/metrics"];
  assert.deepEqual(covered.map(profiling.covers), [true, true, true, false, false, false]);
});
