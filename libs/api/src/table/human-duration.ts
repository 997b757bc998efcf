const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

interface Unit {
  readonly milliseconds: number;
  readonly name: string;
}
const s: Unit = { milliseconds: second, name: "s" };
const m: Unit = { milliseconds: minute, name: "m" };
const h: Unit = { milliseconds: hour, name: "h" };
const d: Unit = { milliseconds: day, name: "d" };
const y: Unit = { milliseconds: year, name: "y" };

/** Up to which age which units tell it; the rest is left out where it is 0. */
const scales: readonly { readonly below: number; readonly unit: Unit; readonly rest?: Unit }[] = [
  { below: 2 * minute, unit: s },
  { below: 10 * minute, unit: m, rest: s },
  { below: 3 * hour, unit: m },
  { below: 8 * hour, unit: h, rest: m },
  { below: 2 * day, unit: h },
  { below: 8 * day, unit: d, rest: h },
  { below: 2 * year, unit: d },
  { below: 8 * year, unit: y, rest: d },
];
const longest = { unit: y, rest: undefined };

/** Two clocks may differ by this much before an age in the future is told as such. */
const tolerance = 2 * second;

/** Ages as tables show them: `5s`, `2m3s`, `10m`, `3h5m`, `2d3h`, `8d`, `2y45d`; `<invalid>` in the future. */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -tolerance) return "<invalid>";
  if (milliseconds < 0) return "0s";
  const { unit, rest } = scaleOf(milliseconds);
  const whole = Math.floor(milliseconds / unit.milliseconds);
  if (rest === undefined) return whole + unit.name;
  const more = Math.floor((milliseconds % unit.milliseconds) / rest.milliseconds);
  return more === 0 ? whole + unit.name : whole + unit.name + more + rest.name;
}

/** Milliseconds until {@link humanDuration} tells this age otherwise. */
export function untilOtherwise(milliseconds: number): number {
  if (milliseconds <= -tolerance) return 1 - tolerance - milliseconds;
  if (milliseconds < 0) return second - milliseconds;
  const { unit, rest = unit } = scaleOf(milliseconds);
  return rest.milliseconds - (milliseconds % rest.milliseconds);
}

function scaleOf(milliseconds: number): { readonly unit: Unit; readonly rest?: Unit | undefined } {
  for (const scale of scales) if (milliseconds < scale.below) return scale;
  return longest;
}
