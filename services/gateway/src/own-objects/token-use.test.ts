import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { anyGroup, createPeers } from "@orch/rpc/group-peers.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { resourceWrite } from "@orch/rpc/methods.js";
import { ApiError } from "@orch/status/api-error.js";
import { createTokenUse, dayOf, isTracking, trackingMap } from "./token-use.js";

/** A resource service that notes what it is asked, and fails while it is told to. */
function setup() {
  const { services, caller } = createInProcess();
  const asked: string[] = [];
  const problems: unknown[] = [];
  const state = { fails: false };
  services.unary(resourceWrite, async ({ verb, namespace, resource, name, body }: WriteRequest) => {
    asked.push(`${verb} ${resource} ${namespace}/${name} ${body}`);
    if (state.fails) throw new ApiError("ServiceUnavailable", "later");
    return { code: 200, body: Buffer.from(""), warnings: [] };
  });
  const resources = createPeers(new Map([[anyGroup, caller]]));
  const log = (problem: unknown): void => void problems.push(problem);
  const use = createTokenUse({ naming: createNaming("kubernetes"), resources, log });
  /** What is asked of the service without anybody waiting has come there. */
  const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { asked, problems, state, use, settled };
}
const of = (name: string, day: string) => ({ namespace: "ns", name, uid: "u", day });
const patched = (name: string, day: string): string =>
  `patch secrets ns/${name} {"metadata":{"labels":{"kubernetes.io/legacy-token-last-used":"${day}"}}}`;

test("the use of a token is recorded once a day, for each Secret", async () => {
  const { asked, use, settled } = setup();
  for (const day of ["2026-01-01", "2026-01-01", "2026-01-02"]) use(of("a", day));
  use(of("b", "2026-01-01"));
  await settled();
  assert.deepEqual(asked, [patched("a", "2026-01-01"), patched("a", "2026-01-02"), patched("b", "2026-01-01")]);
});

test("a use that could not be recorded is told, and recorded with the next one", async () => {
  const { asked, problems, state, use, settled } = setup();
  state.fails = true;
  use(of("a", "2026-01-01"));
  await settled();
  assert.deepEqual([asked.length, problems.length], [1, 1]);
  state.fails = false;
  use(of("a", "2026-01-01"));
  use(of("a", "2026-01-01"));
  await settled();
  assert.deepEqual([asked.length, problems.length], [2, 1]);
});

test("of very many Secrets those of long ago are forgotten, and recorded once more at most", async () => {
  const { asked, use, settled } = setup();
  for (let i = 0; i < 10_001; i++) use(of(`s${i}`, "2026-01-01"));
  use(of("s10000", "2026-01-01"));
  await settled();
  assert.equal(asked.length, 10_001);
  use(of("s0", "2026-01-01"));
  await settled();
  assert.equal(asked.length, 10_002);
});

test("a day is one of the calendar in UTC", () => {
  assert.equal(dayOf(Date.parse("2026-01-31T23:59:59.999Z")), "2026-01-31");
  assert.equal(dayOf(Date.parse("2026-01-31T23:59:59Z") + 1000), "2026-02-01");
});

const maps: readonly (readonly [data: unknown, is: boolean])[] = [
  [{ since: "2026-01-31" }, true],
  [{ since: "2026-01-31", other: 1 }, true],
  [{ since: "2026-13-31" }, false],
  [{ since: "2026-1-31" }, false],
  [{ since: 20260131 }, false],
  [{}, false],
  [null, false],
  ["2026-01-31", false],
];
for (const [data, is] of maps) {
  test(`data that ${is ? "say" : "do not say"} since when: ${JSON.stringify(data)}`, () =>
    assert.equal(isTracking(data), is));
}

test("the map has the server's name in the dialect", () => {
  assert.deepEqual(dialects.map((dialect) => trackingMap(createNaming(dialect))).sort(), [
    "kube-apiserver-legacy-service-account-token-tracking",
    "orch-apiserver-legacy-service-account-token-tracking",
  ]);
});
