import type { LevelSpec } from "@orch/api/kinds/flowcontrol/types.js";

/** How many seats a level has, in numbers of requests of one seat that may run at once. */
export interface SeatRange {
  /** What its share of the server's seats comes to. */
  readonly nominal: number;
  /** What is left when it has lent all it may. */
  readonly lowest: number;
  /** What it has when it has borrowed all it may. */
  readonly highest: number;
}

/** A level's range and how many seats it has had a use for. */
export interface SeatDemand extends SeatRange {
  readonly exempt: boolean;
  /** The most at once since the last division. */
  readonly high: number;
  /** The same, falling slowly. */
  readonly smooth: number;
}

function shareOf({ limited, exempt }: LevelSpec): { shares: number; lendable: number; borrowing: number | undefined } {
  return {
    shares: (limited ?? exempt)?.nominalConcurrencyShares ?? 0,
    lendable: (limited ?? exempt)?.lendablePercent ?? 0,
    borrowing: limited?.borrowingLimitPercent,
  };
}

/** Divides the server's seats by the levels' shares, each rounded up; what may be borrowed is bounded by all there is. */
export function seatRanges(total: number, levels: ReadonlyMap<string, LevelSpec>): ReadonlyMap<string, SeatRange> {
  let sum = 0;
  for (const spec of levels.values()) sum += shareOf(spec).shares;
  return new Map(
    [...levels].map(([name, spec]) => {
      const { shares, lendable, borrowing } = shareOf(spec);
      const nominal = sum === 0 ? 0 : Math.ceil((total * shares) / sum);
      const lowest = nominal - Math.round((nominal * lendable) / 100);
      const highest = borrowing === undefined ? total : nominal + Math.round((nominal * borrowing) / 100);
      return [name, { nominal, lowest, highest: Math.max(nominal, Math.min(highest, total)) }];
    }),
  );
}

/**
 * Each level's seats until the next division: what it had a use for, scaled by one fraction so that all seats are
 * given out, within its range. Exempt levels come first and are not bound by what they get.
 */
export function divideSeats(total: number, demands: ReadonlyMap<string, SeatDemand>): ReadonlyMap<string, number> {
  const seats = new Map<string, number>();
  const targets: { readonly name: string; readonly least: number; readonly target: number; readonly most: number }[] =
    [];
  let left = total;
  for (const [name, { exempt, nominal, lowest, highest, high, smooth }] of demands) {
    const least = Math.max(lowest, Math.min(nominal, high));
    const target = Math.max(least, smooth);
    if (exempt) {
      seats.set(name, Math.round(target));
      left -= target;
    } else targets.push({ name, least, target, most: highest });
  }
  const given = (fraction: number): number =>
    targets.reduce((sum, { least, target, most }) => sum + clamp(target * fraction, least, most), 0);
  const fraction = largestFraction((f) => given(f) <= left);
  for (const { name, least, target, most } of targets) {
    seats.set(name, Math.round(clamp(target * fraction, least, most)));
  }
  return seats;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

const halvings = 40;

/** The largest fraction that fits, found by halving; everything fits once all have their most. */
function largestFraction(fits: (fraction: number) => boolean): number {
  let high = 1;
  while (fits(high) && high < 2 ** halvings) high *= 2;
  let low = 0;
  for (let i = 0; i < halvings; i++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
