import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Client } from "./client.js";
import { leadOnce, type TermEnd } from "./leader-election.js";
import { type ApiObject, isRecord } from "./objects.js";

const leases = { group: "coordination.example.com", version: "v1", resource: "leases", namespace: "system" };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One lease in memory, with the server's rule that a write names the version that it saw. */
function createLeaseServer() {
  let lease: ApiObject | undefined;
  let version = 0;
  let away: ApiError | undefined;
  const put = (object: ApiObject): ApiObject => {
    lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    return lease;
  };
  const cut = new Set<string>();
  let mute = false;
  const clientOf = (identity: string): Pick<Client, "get" | "create" | "update"> => ({
    async get() {
      await here(identity);
      if (lease === undefined) throw new ApiError("NotFound", "no lease");
      return lease;
    },
    async create(_collection, object) {
      await here(identity);
      if (lease !== undefined) throw new ApiError("AlreadyExists", "there is one");
      return put(object);
    },
    async update(_collection, object, { signal } = {}) {
      await here(identity);
      if (object.metadata.resourceVersion !== lease?.metadata.resourceVersion)
        throw new ApiError("Conflict", "changed");
      const stored = put(object);
      if (mute) await new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      return stored;
    },
  });
  const here = async (identity: string): Promise<void> => {
    await turn();
    if (away !== undefined) throw away;
    if (cut.has(identity)) throw new ApiError("ServiceUnavailable", "cut off");
  };
  const spec = (): Readonly<Record<string, unknown>> => (isRecord(lease?.["spec"]) ? lease["spec"] : {});
  return {
    clientOf,
    /** Whose requests go nowhere. */
    cut,
    spec,
    holder: () => spec()["holderIdentity"],
    writes: () => version,
    goAway: (error: ApiError | undefined) => {
      away = error;
    },
    /** Updates are done, but nobody is told. */
    setMute: (on: boolean) => {
      mute = on;
    },
    /** Somebody else changes it. */
    meddle: () => put({ ...(lease ?? { metadata: {} }), metadata: { ...lease?.metadata, labels: { touched: "yes" } } }),
  };
}

interface Candidate {
  readonly terms: string[];
  readonly errors: string[];
  readonly leaders: string[];
  readonly ended: Promise<TermEnd>;
  leads(): boolean;
  cancel(): void;
}

/** `skewMs`: how far its wall clock is off; nothing may depend on it. */
function start(server: ReturnType<typeof createLeaseServer>, identity: string, skewMs = 0): Candidate {
  const abort = new AbortController();
  const [terms, errors, leaders]: [string[], string[], string[]] = [[], [], []];
  let leads = false;
  const ended = leadOnce(
    {
      client: server.clientOf(identity),
      leases,
      name: "lock",
      identity,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      clock: {
        now: () => Date.now() + skewMs,
        monotonic: () => Date.now(),
        after(ms, run) {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      },
      random: () => 0,
      onError: (error) => errors.push(messageOf(error)),
      onLeader: (leader) => leaders.push(leader),
    },
    async (signal) => {
      leads = true;
      terms.push("begins");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      leads = false;
      terms.push("ends");
    },
    abort.signal,
  );
  return { terms, errors, leaders, ended, leads: () => leads, cancel: () => abort.abort() };
}

/** Time goes on in steps of half a second, and what follows from each happens before the next. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= 500) {
    for (let i = 0; i < 10; i++) await turn();
    if (left > 0) mock.timers.tick(Math.min(500, left));
  }
}

function election(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.UTC(2026, 0, 2, 3, 4, 5) });
    try {
      await run();
    } finally {
      mock.timers.reset();
    }
  });
}

election("the first candidate makes the lease and renews it; the second stands by", async () => {
  const server = createLeaseServer();
  const a = start(server, "a");
  await pass(0);
  assert.deepEqual(server.spec(), {
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-02T03:04:05.000000Z",
    renewTime: "2026-01-02T03:04:05.000000Z",
    leaseTransitions: 0,
  });
  const b = start(server, "b");
  await pass(60_000);
  assert.deepEqual([a.leads(), b.leads()], [true, false]);
  assert.equal(server.spec()["renewTime"], "2026-01-02T03:05:05.000000Z");
  assert.equal(server.spec()["acquireTime"], "2026-01-02T03:04:05.000000Z");
  assert.equal(server.writes(), 31);
  assert.deepEqual([a.errors, b.errors, b.leaders], [[], [], ["a"]]);
  a.cancel();
  b.cancel();
  await pass(2_000);
});

election("who stops gives the lease back, and the next need not wait for its end", async () => {
  const server = createLeaseServer();
  const a = start(server, "a");
  await pass(0);
  const b = start(server, "b");
  await pass(4_000);
  a.cancel();
  await pass(0);
  assert.equal(await a.ended, "cancelled");
  assert.deepEqual(a.terms, ["begins", "ends"]);
  await pass(2_500);
  assert.equal(b.leads(), true);
  assert.equal(server.holder(), "b");
  assert.equal(server.spec()["leaseTransitions"], 1);
  assert.equal(server.spec()["leaseDurationSeconds"], 15);
  b.cancel();
  await pass(0);
  assert.equal(server.holder(), undefined);
  assert.equal(server.spec()["leaseDurationSeconds"], 1);
});

election("who stops while it renews gives the lease back all the same", async () => {
  const server = createLeaseServer();
  const a = start(server, "a");
  await pass(0);
  server.setMute(true);
  await pass(2_000);
  assert.equal(server.writes(), 2, "the renewal is done");
  a.cancel();
  server.setMute(false);
  await pass(0);
  assert.equal(await a.ended, "cancelled");
  assert.equal(server.holder(), undefined);
  assert.deepEqual(a.errors, []);
});

election("who stops while it takes the lease gives it back", async () => {
  const server = createLeaseServer();
  const a = start(server, "a");
  await pass(0);
  a.cancel();
  await pass(0);
  server.setMute(true);
  const b = start(server, "b");
  await pass(3_000);
  assert.equal(server.holder(), "b");
  b.cancel();
  server.setMute(false);
  await pass(0);
  assert.equal(await b.ended, "cancelled");
  assert.equal(server.holder(), undefined);
});

election(
  "who does not renew is followed when the lease has not changed for its duration, whatever clocks say",
  async () => {
    const server = createLeaseServer();
    const a = start(server, "a", 3_600_000);
    await pass(0);
    const b = start(server, "b", -3_600_000);
    await pass(1_000);
    server.cut.add("a");
    await pass(11_000);
    assert.equal(await a.ended, "lost");
    assert.equal(b.leads(), false, "not before the lease has ended");
    await pass(8_000);
    assert.equal(b.leads(), true);
    assert.equal(server.spec()["leaseTransitions"], 1);
    assert.ok(a.errors.includes("cut off"));
    b.cancel();
    await pass(0);
  },
);

election("a store that is away for less than the deadline costs nothing, for longer the lease", async () => {
  const server = createLeaseServer();
  const a = start(server, "a");
  await pass(2_000);
  server.goAway(new ApiError("ServiceUnavailable", "away"));
  await pass(7_000);
  server.goAway(undefined);
  await pass(6_000);
  assert.equal(a.leads(), true);
  server.goAway(new ApiError("ServiceUnavailable", "away"));
  await pass(14_000);
  assert.equal(await a.ended, "lost");
  assert.deepEqual(a.terms, ["begins", "ends"]);
});

election("a lease that somebody else touched is renewed all the same", async () => {
  const server = createLeaseServer();
  const a = start(server, "a");
  await pass(2_000);
  server.meddle();
  await pass(4_000);
  assert.equal(a.leads(), true);
  assert.equal(server.spec()["leaseTransitions"], 0);
  assert.deepEqual(a.errors, []);
  a.cancel();
  await pass(0);
});

election("of two that come at once one leads", async () => {
  const server = createLeaseServer();
  const both = [start(server, "a"), start(server, "b")];
  await pass(10_000);
  assert.equal(both.filter((c) => c.leads()).length, 1);
  assert.deepEqual(
    both.flatMap((c) => c.errors),
    [],
  );
  for (const candidate of both) candidate.cancel();
  await pass(3_000);
  assert.deepEqual(await Promise.all(both.map((c) => c.ended)), ["cancelled", "cancelled"]);
});
