import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "./clock.js";
import { createHealth, parseHealthPath } from "./health.js";

function registry(livezGracePeriod = 0) {
  const clock = createManualClock();
  const health = createHealth({ clock, livezGracePeriod });
  let store: string | undefined;
  health.check("log", () => undefined);
  health.check("store", async () => store);
  return {
    clock,
    health,
    loseStore: () => {
      store = "connection refused";
    },
  };
}

test("a healthy process answers ok, and check by check when asked", async () => {
  const { health } = registry();
  assert.deepEqual(await health.answer("livez"), { code: 200, body: "ok", failures: [] });
  const lines = "[+]ping ok\n[+]log ok\n[+]store ok\n";
  assert.equal((await health.answer("livez", { verbose: true })).body, `${lines}healthz check passed\n`);
  assert.equal((await health.answer("healthz", { verbose: true })).body, `${lines}healthz check passed\n`);
  assert.equal(
    (await health.answer("readyz", { verbose: true })).body,
    `${lines}[+]shutdown ok\nhealthz check passed\n`,
  );
});

test("a failing check answers 500 with every check and without its reason", async () => {
  const { health, loseStore } = registry();
  loseStore();
  assert.deepEqual(await health.answer("readyz"), {
    code: 500,
    body: "[+]ping ok\n[+]log ok\n[-]store failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n",
    failures: [{ check: "store", reason: "connection refused" }],
  });
});

test("excluded checks are named, unknown ones warned of", async () => {
  const { health, loseStore } = registry();
  loseStore();
  const answer = await health.answer("livez", { verbose: true, exclude: ["store", "zzz", "abc"] });
  assert.equal(answer.code, 200);
  assert.equal(
    answer.body,
    '[+]ping ok\n[+]log ok\n[+]store excluded: ok\nwarn: some health checks cannot be excluded: no matches for "abc", "zzz"\nhealthz check passed\n',
  );
  assert.equal((await health.answer("livez", { exclude: ["store"] })).body, "ok");
});

test("a single check answers for itself", async () => {
  const { health, loseStore } = registry();
  assert.deepEqual(await health.answer("livez", { check: "store" }), { code: 200, body: "ok", failures: [] });
  loseStore();
  const answer = await health.answer("livez", { check: "store" });
  assert.equal(answer.code, 500);
  assert.equal(answer.body, "internal server error: connection refused\n");
  assert.equal((await health.answer("livez", { check: "ping" })).code, 200);
  assert.deepEqual(await health.answer("healthz", { check: "foo" }), {
    code: 404,
    body: "404 page not found\n",
    failures: [],
  });
  assert.equal((await health.answer("livez", { check: "shutdown" })).code, 404);
});

test("post-start hooks count at once for readiness and after the grace period for liveness", async () => {
  const { clock, health } = registry(1000);
  const done = health.postStartHook("start-informers");
  const codes = async () => {
    const answers = [await health.answer("healthz"), await health.answer("livez"), await health.answer("readyz")];
    return answers.map((a) => a.code);
  };
  assert.deepEqual(await codes(), [500, 200, 500]);
  clock.advance(1000);
  assert.deepEqual(await codes(), [500, 500, 500]);
  done();
  assert.deepEqual(await codes(), [200, 200, 200]);
  assert.match(
    (await health.answer("livez", { verbose: true })).body,
    /\n\[\+\]poststarthook\/start-informers ok\nhealthz check passed/,
  );
});

test("shutting down fails readiness alone", async () => {
  const { health } = registry();
  health.shutDown();
  assert.equal((await health.answer("livez")).code, 200);
  assert.equal((await health.answer("healthz")).code, 200);
  const ready = await health.answer("readyz");
  assert.equal(ready.code, 500);
  assert.match(ready.body, /\[-\]shutdown failed: reason withheld\nreadyz check failed\n$/);
});

test("a check that throws has failed", async () => {
  const { health } = registry();
  health.check("bad", () => {
    throw new Error("broken");
  });
  assert.deepEqual((await health.answer("livez")).failures, [{ check: "bad", reason: "broken" }]);
});

test("every check has its path", () => {
  const { health } = registry();
  health.postStartHook("start-informers");
  const names = ["", "/log", "/ping", "/poststarthook/start-informers", "/store"];
  const expected = ["healthz", "livez", "readyz"].flatMap((kind) => names.map((name) => `/${kind}${name}`));
  assert.deepEqual(health.paths, [...expected, "/readyz/shutdown"].sort());
});

test("a name is given once", () => {
  const { health } = registry();
  for (const name of ["ping", "store", "shutdown"])
    assert.throws(() => health.check(name, () => undefined), /exists already/);
});

test("paths become kinds and queries", () => {
  const parse = (path: string, query = "") => parseHealthPath(path, new URLSearchParams(query));
  assert.deepEqual(parse("/livez", "verbose&exclude=a&exclude=b"), {
    kind: "livez",
    query: { verbose: true, exclude: ["a", "b"] },
  });
  assert.deepEqual(parse("/readyz/poststarthook/x"), {
    kind: "readyz",
    query: { verbose: false, exclude: [], check: "poststarthook/x" },
  });
  assert.equal(parse("/metrics"), undefined);
  assert.equal(parse("/livezz"), undefined);
});
