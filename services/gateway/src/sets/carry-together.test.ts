import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { EndReply, StageReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceBegin, resourceEnd, resourceOutcome, resourceStage } from "@orch/rpc/methods.js";
import { systemClock } from "@orch/runtime/clock.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Asker, Live } from "./ask.js";
import { carryOutTogether, type TogetherDeps } from "./carry-together.js";
import type { Plan, PlannedWrite } from "./plan.js";
import type { Member } from "./set-object.js";
import { beginTransaction, type MemberStaging } from "./transaction.js";

const kind = loadCatalog(createNaming("kubernetes")).kind("v1", "ConfigMap");
const reply = { code: 200, body: Buffer.from("{}"), warnings: [] };
const nothing = Buffer.alloc(0);
const request: WriteRequest = {
  ...{ verb: "patch", group: "", version: "v1", resource: "configmaps", namespace: "ns", name: "m", subresource: "" },
  ...{ body: nothing, contentType: "", options: {}, form: "", userAgent: "", ifMatch: "" },
  user: { name: "u", uid: "", groups: [], extra: {} },
};
const conflict = (): ApiError => new ApiError("Conflict", "somebody was faster");

interface Script {
  /** Of each round's end. */
  readonly ends?: readonly EndReply[];
  readonly stage?: (member: number) => StageReply;
  readonly setIsRefused?: boolean;
  readonly live?: () => Live;
  readonly id?: string;
}

/** A resource service that answers as it is told, and tells what it was asked. */
function bed(count: number, { ends = [], stage, setIsRefused = false, live, id = "t" }: Script) {
  const { services, caller } = createInProcess();
  const asked: string[] = [];
  let round = 0;
  let end: EndReply | undefined;
  services.unary(resourceBegin, () => ({ transaction: id }));
  services.unary(resourceStage, ({ member }) => {
    asked.push(`stage ${member}`);
    return stage?.(member) ?? { staged: true, uid: `uid-${member}` };
  });
  services.unary(resourceEnd, ({ staged }) => {
    asked.push(`end ${staged}`);
    end = staged === 0 ? { done: false, refused: [] } : (ends[round++] ?? { done: true, refused: [] });
    return end;
  });
  services.unary(resourceOutcome, () => {
    if (end?.done !== true) throw conflict();
    return reply;
  });
  const state: Live = { object: {}, uid: "u", resourceVersion: "2", mark: "", bytes: 0 };
  const askerIn = (staging: MemberStaging): Asker => ({
    get: async () => live?.() ?? state,
    async apply() {
      const { code } = await staging.write(request, { deadlineMs: 1_000, span: undefined, onStaged: () => {} });
      if (code >= 400) throw new ApiError("Invalid", "wrong");
      return state;
    },
    remove: () => assert.fail("nothing is removed"),
    release: () => assert.fail("nothing is released"),
  });
  const writes = Array.from({ length: count }, (_, i): PlannedWrite => {
    assert.ok(kind);
    const place: Member = { version: "v1", resource: "configmaps", kind: "ConfigMap", namespace: "ns", name: `m${i}` };
    const object = { at: `spec.objects[${i}]`, kind, brought: false, place, object: {} };
    return { object, action: "Create", changes: [], before: undefined, bytes: 10 };
  });
  const plan: Pick<Plan, "writes" | "removals"> = { writes, removals: [] };
  let members: readonly Member[] = [];
  const deps: TogetherDeps = {
    ...{ mark: { id: "mark", manager: "m" }, force: false, clock: systemClock, serves: async () => true, askerIn },
    set: { resource: { group: "sets.orch", resource: "sets" }, name: "s" },
    begin: () => beginTransaction({ service: caller, clock: systemClock, deadline: systemClock.monotonic() + 5_000 }),
    async stageSet(transaction, at, all) {
      if (setIsRefused) throw new ApiError("Forbidden", "no sets today");
      members = all;
      return transaction.stage(at, request, {});
    },
  };
  return { asked, carry: () => carryOutTogether(plan, deps), members: () => members };
}

test("everything is staged, the set last, and ended once", async () => {
  const { asked, carry, members } = bed(40, {});
  assert.deepEqual(await carry(), { type: "stored", reply });
  assert.equal(asked.length, 42);
  assert.deepEqual(asked.slice(-2), ["stage 40", "end 41"]);
  assert.deepEqual(
    members().map(({ uid }) => uid),
    Array.from({ length: 40 }, (_, i) => `uid-${i}`),
  );
});

test("where one is refused the set is not staged, all refusals are told, and it is given up", async () => {
  const wrong = { staged: false as const, reply: { ...reply, code: 422 } };
  const { asked, carry } = bed(5, { stage: (member) => (member % 2 === 1 ? wrong : { staged: true, uid: "" }) });
  const outcome = await carry();
  assert.ok(outcome?.type === "refused");
  assert.deepEqual(
    outcome.problems.map(({ at }) => at),
    ["spec.objects[1]", "spec.objects[3]"],
  );
  assert.deepEqual(asked.slice(-1), ["end 0"]);
  assert.ok(!asked.includes("stage 5"));
});

test("what is in the way is tried again, and told when it stays there", async () => {
  const inTheWay: EndReply = { done: false, refused: [1] };
  const again = bed(2, { ends: [inTheWay, inTheWay] });
  assert.equal((await again.carry())?.type, "stored");
  assert.equal(again.asked.filter((each) => each === "end 3").length, 3);
  const always = bed(2, { ends: Array.from({ length: 9 }, () => inTheWay) });
  const outcome = await always.carry();
  assert.ok(outcome?.type === "refused");
  assert.deepEqual(
    outcome.problems.map(({ at, error }) => `${at} ${error.reason}`),
    ["spec.objects[1] Conflict"],
  );
  assert.equal(always.asked.filter((each) => each === "end 3").length, 5);
  // Of the set itself.
  await assert.rejects(bed(2, { ends: Array.from({ length: 9 }, () => ({ done: false, refused: [2] })) }).carry(), {
    reason: "Conflict",
  });
});

test("a set that is refused itself leaves nothing staged", async () => {
  const { asked, carry } = bed(3, { setIsRefused: true });
  await assert.rejects(carry(), { reason: "Forbidden" });
  assert.deepEqual(asked.slice(-1), ["end 0"]);
});

test("what changes nothing needs no end, and a store without transactions is told from others", async () => {
  const same = bed(3, { stage: () => ({ staged: false, reply }) });
  assert.deepEqual(await same.carry(), { type: "stored", reply });
  assert.deepEqual(same.asked.slice(-1), ["end 0"]);
  assert.equal(await bed(3, { id: "" }).carry(), undefined);
});
