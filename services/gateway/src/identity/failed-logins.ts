import { isIPv4, isIPv6 } from "node:net";
import { tokenDigest } from "@orch/auth/secrets.js";
import type { Clock } from "@orch/runtime/clock.js";
import { LRUCache } from "lru-cache";
import type { FailedLogins } from "./identity.js";

export interface FailedLoginsOptions {
  /** Failures of an address that are forgiven in a second; 0 turns the limit off. */
  readonly perSecond: number;
  /** Failures that an address may have at once. */
  readonly burst: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** How many addresses are remembered; beyond that, the address that was quiet for longest is forgotten. */
  readonly maxAddresses: number;
}

interface Bucket {
  /** Failures that are left; never more than the burst. */
  left: number;
  /** The time at which `left` was counted, in milliseconds. */
  at: number;
}

/** How long after a failure good credentials are remembered, and how many. */
const rememberMs = 60_000;
const maxGood = 10_000;

/**
 * Counts wrong credentials by client address, so that nobody can try out many. All clients behind a balancer or a NAT share
 * one address: credentials that worked a moment ago are not held up by wrong ones from the same address.
 */
export function createFailedLogins(options: FailedLoginsOptions): FailedLogins {
  const { perSecond, burst, clock, maxAddresses } = options;
  if (perSecond <= 0) return { blocked: () => undefined, failed: () => {}, worked: () => {} };
  const buckets = new LRUCache<string, Bucket>({ max: maxAddresses });
  const good = new LRUCache<string, true>({ max: maxGood });
  let lastFailure = Number.NEGATIVE_INFINITY;
  const leftIn = ({ left, at }: Bucket, now: number): number => Math.min(burst, left + ((now - at) / 1000) * perSecond);
  return {
    blocked(address, authorization) {
      // In the usual case nobody has failed, and the address need not be parsed.
      if (buckets.size === 0) return undefined;
      const key = networkOf(address);
      const bucket = buckets.get(key);
      if (bucket === undefined) return undefined;
      const left = leftIn(bucket, clock.monotonic());
      if (left >= burst) buckets.delete(key);
      if (left >= 1 || good.has(tokenDigest(authorization))) return undefined;
      return Math.ceil((1 - left) / perSecond);
    },
    failed(address) {
      const key = networkOf(address);
      const now = clock.monotonic();
      const bucket = buckets.get(key) ?? { left: burst, at: now };
      // The bucket never falls below 0: requests that were already under way cannot lengthen the wait.
      bucket.left = Math.max(0, leftIn(bucket, now) - 1);
      bucket.at = now;
      lastFailure = now;
      buckets.set(key, bucket);
    },
    worked(authorization) {
      if (clock.monotonic() - lastFailure < rememberMs) good.set(tokenDigest(authorization), true);
    },
  };
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The part of an address that belongs to one client: all of an IPv4 address, the first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const four = mapped.exec(address)?.[1] ?? address;
  if (isIPv4(four) || !isIPv6(address)) return four;
  // The zone (`%eth0`) names an interface of this machine and says nothing about the client.
  const [bare = ""] = address.toLowerCase().split("%");
  const [head = "", tail] = bare.split("::");
  const before = head === "" ? [] : head.split(":");
  if (tail === undefined) return before.slice(0, 4).map(group).join(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).map(group).join(":");
}

const group = (text: string): string => text.replace(/^0+(?=.)/, "");
