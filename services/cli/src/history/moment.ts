import { Unusable } from "./world.js";

export type Moment =
  | { readonly type: "revision"; readonly revision: number }
  /** Milliseconds since 1970. */
  | { readonly type: "time"; readonly time: number };

const revisions = /^\d{1,15}$/;
const ages = /^(\d{1,6})([smhd])$/;
const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3600_000, d: 86_400_000 };
const times = /^\d{4}-\d\d-\d\d/;

/**
 * `1234` is a revision; `2026-11-24T15:00:00Z` a time, and `15m` the one so long ago.
 * @throws Unusable
 */
export function readMoment(flag: string, text: string, now: number): Moment {
  if (revisions.test(text)) return { type: "revision", revision: Number(text) };
  return { type: "time", time: readTime(flag, text, now) };
}

/** @throws Unusable */
export function readTime(flag: string, text: string, now: number): number {
  const [, count = "", unit = ""] = ages.exec(text) ?? [];
  const time =
    count === "" ? (times.test(text) ? Date.parse(text) : Number.NaN) : now - Number(count) * (unitsMs[unit] ?? 0);
  if (!Number.isNaN(time)) return time;
  throw new Unusable(
    `--${flag}: ${JSON.stringify(text.slice(0, 100))} is no time (2026-11-24T15:00:00Z) and no age (15m)`,
  );
}
