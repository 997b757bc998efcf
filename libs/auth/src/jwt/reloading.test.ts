import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { authenticatedUser } from "../user.js";
import type { JwtAuthenticator } from "./jwt-authenticator.js";
import { reloadingJwtAuthenticator } from "./reloading.js";
import { shown } from "./testing/kit.js";

const naming = createNaming("orch");

/** Takes every token for a user of this name. */
function named(name: string, ill?: string) {
  const state = { ill, log: "" };
  const note = (what: string) => (): void => {
    state.log += `${what} `;
  };
  const jwt: JwtAuthenticator = {
    authenticateToken: () => ({ outcome: "allow", user: authenticatedUser(naming, { name }) }),
    start: note("start"),
    stop: note("stop"),
    health: () => state.ill,
  };
  return { jwt, state };
}

function start() {
  const clock = createManualClock(0);
  const told: (string | undefined)[] = [];
  const reloading = reloadingJwtAuthenticator({ after: clock.after, replaced: (problem) => told.push(problem) });
  const ask = async (): Promise<string> => shown(await reloading.authenticateToken("token", []));
  return { clock, told, reloading, ask };
}

test("before the first configuration no token is known", async () => {
  const { ask, reloading } = start();
  assert.equal(await ask(), "none");
  assert.equal(reloading.health(), undefined);
});

test("the first serves at once, even while it has no keys", async () => {
  const { ask, reloading, told } = start();
  const first = named("first", "no keys yet");
  reloading.replace(first.jwt);
  assert.equal(await ask(), "allow first[]");
  assert.equal(reloading.health(), "no keys yet");
  assert.equal(first.state.log, "start ");
  assert.deepEqual(told, [undefined]);
});

test("the next one serves when it is healthy, and the one before is stopped then", async () => {
  const { ask, reloading, told, clock } = start();
  const [first, second] = [named("first"), named("second", "no keys yet")];
  reloading.replace(first.jwt);
  reloading.replace(second.jwt);
  await clock.pass(30_000);
  assert.equal(await ask(), "allow first[]");
  assert.equal(first.state.log, "start ");
  second.state.ill = undefined;
  await clock.pass(500);
  assert.equal(await ask(), "allow second[]");
  assert.equal(first.state.log, "start stop ");
  assert.equal(second.state.log, "start ");
  assert.deepEqual(told, [undefined, undefined]);
  assert.equal(clock.waiting(), 0);
});

test("one that is not healthy within a minute is given up", async () => {
  const { ask, reloading, told, clock } = start();
  const [first, second] = [named("first"), named("second", "connection refused")];
  reloading.replace(first.jwt);
  reloading.replace(second.jwt);
  await clock.pass(60_000);
  assert.equal(await ask(), "allow first[]");
  assert.equal(first.state.log, "start ");
  assert.equal(second.state.log, "start stop ");
  assert.deepEqual(told, [undefined, "connection refused"]);
  assert.equal(clock.waiting(), 0);
});

test("a later change takes an earlier one back", async () => {
  const { ask, reloading, clock } = start();
  const [first, second, third] = [named("first"), named("second", "no keys yet"), named("third")];
  reloading.replace(first.jwt);
  reloading.replace(second.jwt);
  reloading.replace(third.jwt);
  assert.equal(await ask(), "allow third[]");
  assert.equal(second.state.log, "start stop ");
  second.state.ill = undefined;
  await clock.pass(60_000);
  assert.equal(await ask(), "allow third[]");
});

test("a stop ends the one that serves and the one that waits", () => {
  const { reloading, clock } = start();
  const [first, second] = [named("first"), named("second", "no keys yet")];
  reloading.replace(first.jwt);
  reloading.replace(second.jwt);
  reloading.stop();
  assert.equal(first.state.log, "start stop ");
  assert.equal(second.state.log, "start stop ");
  assert.equal(clock.waiting(), 0);
});
