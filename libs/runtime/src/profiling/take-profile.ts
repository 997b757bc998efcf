import { Session } from "node:inspector/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Clock, sleep } from "../clock.js";
import { stacksOfCpu } from "./cpu-profile.js";
import { stacksOfHeap } from "./heap-profile.js";
import { encodeProfile, type StackProfile } from "./stacks.js";

export type ProfileName = "profile" | "heap" | "allocs";

export interface TakeProfile {
  readonly name: ProfileName;
  readonly ms: number;
  readonly clock: Clock;
  /** Aborted: nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** Between two looks at the thread. 300 s of them are 150,000 samples, which V8 keeps until the end. */
const cpuPeriodMicros = 2_000;
/** Of allocations between two samples, on average; V8's own default. */
const heapPeriodBytes = 32 * 1024;

const zip = promisify(gzip);

/** Watches this thread for a while: a gzipped `profile.proto`, or undefined where the signal aborted meanwhile. */
export async function takeProfile({ name, ms, clock, signal }: TakeProfile): Promise<Buffer | undefined> {
  const session = new Session();
  session.connect();
  try {
    const startedAt = clock.now();
    const began = clock.monotonic();
    const stop = name === "profile" ? await startCpu(session) : await startHeap(session, name);
    await sleep(clock, ms, signal);
    // A session that ends stops what it has begun, and makes no profile of it.
    if (signal.aborted) return undefined;
    const durationMs = clock.monotonic() - began;
    return await zip(await encodeProfile(await stop(), { startedAt, durationMs }));
  } finally {
    session.disconnect();
  }
}

type Stop = () => Promise<StackProfile>;

async function startCpu(session: Session): Promise<Stop> {
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: cpuPeriodMicros });
  await session.post("Profiler.start");
  return async () => stacksOfCpu((await session.post("Profiler.stop")).profile, cpuPeriodMicros);
}

async function startHeap(session: Session, name: "heap" | "allocs"): Promise<Stop> {
  const isWhole = name === "allocs";
  const options = {
    samplingInterval: heapPeriodBytes,
    // Of these the types of Node 20 know nothing.
    includeObjectsCollectedByMajorGC: isWhole,
    includeObjectsCollectedByMinorGC: isWhole,
  };
  await session.post("HeapProfiler.startSampling", options);
  return async () => stacksOfHeap((await session.post("HeapProfiler.stopSampling")).profile, name, heapPeriodBytes);
}
