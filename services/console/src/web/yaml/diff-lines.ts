/** A line of a comparison: there in both, only before, or only after. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Differences beyond this many lines are told as a whole: everything out, everything in. */
const mostSteps = 1500;

/** What leads from one text to another, in lines, with as few of them as can be (Myers' greedy search). */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (lines: readonly string[]): readonly DiffLine[] => lines.map((text) => ({ sign: " ", text }));
  return [
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ];
}

function middle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const trail = search(a, b);
  if (trail === undefined) {
    return [...a.map((text) => ({ sign: "-" as const, text })), ...b.map((text) => ({ sign: "+" as const, text }))];
  }
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let steps = trail.length - 1; steps >= 0; steps--) {
    const reached = trail[steps] ?? new Map<number, number>();
    const k = x - y;
    const isDown = k === -steps || (k !== steps && at(reached, k - 1) < at(reached, k + 1));
    const from = isDown ? k + 1 : k - 1;
    const startX = steps === 0 ? 0 : at(reached, from);
    const startY = steps === 0 ? 0 : startX - from;
    while (x > startX && y > startY && a[x - 1] === b[y - 1]) {
      lines.push({ sign: " ", text: a[x - 1] ?? "" });
      x--;
      y--;
    }
    if (steps === 0) break;
    if (isDown) lines.push({ sign: "+", text: b[--y] ?? "" });
    else lines.push({ sign: "-", text: a[--x] ?? "" });
  }
  return lines.reverse();
}

const at = (reached: ReadonlyMap<number, number>, k: number): number => reached.get(k) ?? -1;

/** For each number of steps how far each diagonal had been reached before; undefined where it takes too many. */
function search(a: readonly string[], b: readonly string[]): readonly ReadonlyMap<number, number>[] | undefined {
  const trail: Map<number, number>[] = [];
  let reached = new Map<number, number>([[1, 0]]);
  for (let steps = 0; steps <= Math.min(mostSteps, a.length + b.length); steps++) {
    trail.push(new Map(reached));
    const next = new Map(reached);
    for (let k = -steps; k <= steps; k += 2) {
      const isDown = k === -steps || (k !== steps && at(reached, k - 1) < at(reached, k + 1));
      let x = isDown ? at(reached, k + 1) : at(reached, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return trail;
    }
    reached = next;
  }
  return undefined;
}

/** A run of lines, or how many that are alike were left out. */
export type DiffPart = { readonly lines: readonly DiffLine[] } | { readonly leftOut: number };

/** Only what changed, and some lines around it. */
export function foldDiff(lines: readonly DiffLine[], around = 3): readonly DiffPart[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ sign }, index) => {
    if (sign !== " ") isNear.fill(true, Math.max(0, index - around), index + around + 1);
  });
  const parts: DiffPart[] = [];
  let from = 0;
  while (from < lines.length) {
    let to = from;
    while (to < lines.length && isNear[to] === isNear[from]) to++;
    parts.push(isNear[from] === true ? { lines: lines.slice(from, to) } : { leftOut: to - from });
    from = to;
  }
  return parts;
}
