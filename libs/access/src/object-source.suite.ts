import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Collection, ObjectSource } from "@orch/auth/object-source.js";

/** A source under test, and what it follows. */
export interface SourceBed {
  readonly source: ObjectSource;
  readonly collection: Collection;
  readonly log: readonly string[];
  put(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** What is followed goes on behind a gap. */
  gap(): void;
  /** What is followed fails in a way that nobody expects. */
  fault(): void;
  failLoad(): void;
  /** Loads do not answer until the returned function is called. */
  holdLoads(): () => void;
  /** Whether changes are followed just now. */
  readonly following: boolean;
  readonly loads: number;
  /** Ends every pause. */
  pass(): void;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Enough for whatever is under way, without a pause to end. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await turn();
};

/** Registers the tests of the contract that stands on `Follower`. */
export function objectSourceSuite(name: string, open: (t: TestContext) => Promise<SourceBed>): void {
  describe(`${name} tells its followers`, () => {
    for (const [what, scenario] of Object.entries(scenarios)) {
      test(what, async (t) => {
        const bed = await open(t);
        const follower = follow(bed);
        t.after(() => follower.stop());
        await scenario(bed, follower);
      });
    }
  });
}

/** A follower that notes a line for whatever it is told. */
interface Follow {
  readonly told: readonly string[];
  /** What else it does then. */
  onTold: (line: string) => void;
  start(): void;
  stop(): void;
  /** Waits for so many lines, and for being followed. */
  until(lines: number): Promise<void>;
}

function follow(bed: SourceBed): Follow {
  const told: string[] = [];
  let stop = (): void => {};
  const note = (line: string): void => {
    told.push(line);
    follower.onTold(line);
  };
  const follower: Follow = {
    told,
    onTold: () => {},
    start() {
      const followed = bed.source.follow(bed.collection, {
        replaced: (all) => note(["=", ...all.map(({ metadata }) => metadata.name)].join(" ")),
        changed: ({ metadata }) => note(`+ ${metadata.name}`),
        deleted: ({ metadata }) => note(`- ${metadata.name}`),
      });
      stop = followed.stop;
    },
    stop: () => stop(),
    async until(lines) {
      while (told.length < lines || !bed.following) await turn();
    },
  };
  return follower;
}

const scenarios: Record<string, (bed: SourceBed, follower: Follow) => Promise<void>> = {
  "of everything first, then of every change in order": async (bed, follower) => {
    await bed.put("a");
    follower.start();
    await follower.until(1);
    await bed.put("b");
    await bed.put("a");
    await bed.remove("b");
    await follower.until(4);
    assert.deepEqual(follower.told, ["= a", "+ b", "+ a", "- b"]);
    assert.deepEqual(bed.log, []);
  },
  "of everything anew after a gap, at once, and logs nothing": async (bed, follower) => {
    await bed.put("a");
    follower.start();
    await follower.until(1);
    const free = bed.holdLoads();
    bed.gap();
    while (bed.loads < 2) await turn();
    await bed.remove("a");
    await bed.put("b");
    free();
    await follower.until(2);
    await bed.put("c");
    await follower.until(3);
    assert.deepEqual(follower.told, ["= a", "= b", "+ c"]);
    assert.deepEqual(bed.log, []);
  },
  "of everything once loading is possible; each failure is logged once and followed by a pause": async (
    bed,
    follower,
  ) => {
    await bed.put("a");
    bed.failLoad();
    bed.failLoad();
    follower.start();
    for (const failures of [1, 2]) {
      while (bed.log.length < failures) await turn();
      await settled();
      assert.equal(bed.loads, failures);
      bed.pass();
    }
    await follower.until(1);
    assert.deepEqual(follower.told, ["= a"]);
    assert.equal(bed.log.length, 2);
  },
  "of everything anew after a fault, which is logged once, and a pause": async (bed, follower) => {
    follower.start();
    await follower.until(1);
    bed.fault();
    while (bed.log.length === 0) await turn();
    await settled();
    assert.equal(bed.loads, 1);
    bed.pass();
    await follower.until(2);
    assert.deepEqual(follower.told, ["=", "="]);
    assert.equal(bed.log.length, 1);
  },
  "of everything anew when a follower fails, and logs its failure once": async (bed, follower) => {
    follower.start();
    await follower.until(1);
    follower.onTold = (line) => {
      if (line === "+ a") throw new TypeError("a fault of the follower");
    };
    await bed.put("a");
    while (bed.log.length === 0) await turn();
    bed.pass();
    await follower.until(3);
    assert.deepEqual(follower.told, ["=", "+ a", "= a"]);
    assert.equal(bed.log.length, 1);
    assert.match(bed.log[0] ?? "", /a fault of the follower/);
  },
  "nothing after a stop, though loads answer then": async (bed, follower) => {
    await bed.put("a");
    const free = bed.holdLoads();
    follower.start();
    while (bed.loads === 0) await turn();
    follower.stop();
    free();
    await settled();
    assert.deepEqual([follower.told, bed.log], [[], []]);
  },
  "nothing after a stop that comes while it is being told": async (bed, follower) => {
    follower.onTold = (line) => {
      if (line === "+ a") follower.stop();
    };
    follower.start();
    await follower.until(1);
    await Promise.all([bed.put("a"), bed.put("b")]);
    await settled();
    bed.pass();
    await settled();
    assert.equal(follower.told.at(-1), "+ a");
    assert.equal(bed.following, false);
    assert.deepEqual(bed.log, []);
  },
};
