import type { FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";
import { factor, growthOf, isSuspect, maxGrowth, type Pair } from "./measure.js";
import { sizeOf } from "./requests.js";
import type { Group, Row } from "./rows.js";
import type { Server } from "./server.js";

export interface SearchOptions {
  /** The bytes that the largest bodies come to, unless something looks wrong. */
  readonly bytes: number;
  /** Told of each group as it begins. */
  readonly progress: (group: Group) => void;
  readonly found: (findings: readonly Finding[]) => void;
}

/** What a row came to at its largest size. */
export interface Finding extends Pair {
  readonly name: string;
  /** Of the larger. */
  readonly n: number;
  readonly bytes: number;
  readonly code: number;
  /** Grew by more than it may, again and again; or the server failed. */
  readonly wrong: string | undefined;
}

/** The most that a request may carry. */
export const mostBytes = 3 << 20;
const leastBytes = 12 << 10;
/** A row that takes longer than this for a byte is measured with larger bodies. */
const slowNanoseconds = 1000;
const repetitions = 5;
/** Longer than this nothing is waited for twice. */
const hopelessMs = 1500;

interface Asked {
  readonly ms: number;
  readonly code: number;
  readonly bytes: number;
}

/** Asks every row with more and more elements. */
export async function search(
  server: Server,
  groups: readonly Group[],
  options: SearchOptions,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const group of groups) {
    options.progress(group);
    const found = await searchGroup(server, group, options.bytes);
    options.found(found);
    findings.push(...found);
  }
  return findings;
}

async function searchGroup(server: Server, group: Group, wanted: number): Promise<readonly Finding[]> {
  const found = new Map<Row, Finding>();
  let open: readonly Row[] = group.rows;
  const before = new Map<Row, Asked>();
  const most = Math.min(mostBytes, group.maxBytes ?? mostBytes);
  let bytesBefore = 0;
  for (let n = firstCount(group); open.length > 0; n *= factor) {
    const bytes = group.bytes(n);
    // What a form bounds by itself does not grow for ever.
    if (bytes > most || bytes < bytesBefore * 2) break;
    bytesBefore = bytes;
    const answers = await askAll(server, group, { rows: open, n });
    const still: Row[] = [];
    for (const row of open) {
      const now = answers.get(row);
      if (now === undefined) continue;
      const last = before.get(row);
      before.set(row, now);
      const pair: Pair = { small: last?.ms ?? now.ms, large: now.ms };
      const finding: Finding = {
        ...pair,
        name: nameOf(group, row),
        n,
        bytes: Math.max(now.bytes, bytes),
        code: now.code,
        wrong: undefined,
      };
      if (now.code >= 500) {
        found.set(row, { ...finding, wrong: `answered ${now.code}` });
        continue;
      }
      const confirmed =
        last !== undefined && isSuspect(pair) ? await confirm(server, group, { row, n, pair }) : undefined;
      found.set(row, { ...finding, ...confirmed });
      const larger = last === undefined || bytes * factor <= wanted || isSlow(now, bytes) || isSuspect(pair);
      if (confirmed?.wrong === undefined && larger && now.ms < hopelessMs) still.push(row);
    }
    open = still;
  }
  return [...found.values()];
}

/** Rather few: what is wrong shows soon then, and does not take minutes. */
function firstCount(group: Group): number {
  const ten = (group.bytes(20) - group.bytes(10)) / 10;
  return Math.max(4, Math.floor(Math.min(leastBytes, (group.maxBytes ?? mostBytes) / factor ** 2) / Math.max(1, ten)));
}

const isSlow = ({ ms }: Asked, bytes: number): boolean =>
  bytes > leastBytes * 2 && (ms * 1e6) / bytes > slowNanoseconds;

/**
 * Once more from the start, a few times: the least of each counts. Where the heap outgrows its nursery one step costs
 * more than the others, once: a second step must be as steep.
 */
async function confirm(server: Server, group: Group, { row, n, pair }: { row: Row; n: number; pair: Pair }) {
  const first = await again(server, group, { row, n, pair });
  if (!isSuspect(first)) return { ...first, wrong: undefined };
  const smaller = n / factor ** 2;
  if (smaller >= firstCount(group) && first.large < hopelessMs) {
    const steps = await again(server, group, { row, n: n / factor, pair: { small: first.small, large: first.small } });
    if (growthOf(steps) * growthOf(first) < maxGrowth ** 2) return { ...first, wrong: undefined };
  }
  return { ...first, wrong: `grew ${growthOf(first).toFixed(1)} times` };
}

async function again(
  server: Server,
  group: Group,
  { row, n, pair }: { row: Row; n: number; pair: Pair },
): Promise<Pair> {
  let { small, large } = pair;
  for (let i = 0; i < repetitions && (i === 0 || large < hopelessMs / 5); i++) {
    const less = await askAll(server, group, { rows: [row], n: n / factor });
    const more = await askAll(server, group, { rows: [row], n });
    small = i === 0 ? (less.get(row)?.ms ?? small) : Math.min(small, less.get(row)?.ms ?? small);
    large = Math.min(large, more.get(row)?.ms ?? large);
    if (!isSuspect({ small, large })) break;
  }
  return { small, large };
}

const nameOf = (group: Group, row: Row): string => `${group.name} ${row.name}`;

async function askAll(
  server: Server,
  group: Group,
  { rows, n }: { readonly rows: readonly Row[]; readonly n: number },
): Promise<ReadonlyMap<Row, Asked>> {
  const answers = new Map<Row, Asked>();
  if (!(await prepare(server, group, n))) return answers;
  for (const row of rows) answers.set(row, await ask(server, row.ask(n)));
  await clear(server, group, n);
  return answers;
}

async function ask(server: Server, request: FakeRequest): Promise<Asked> {
  const began = server.cpu();
  const { code, body } = await server.ask(request);
  const ms = server.cpu() - began;
  return { ms, code, bytes: sizeOf(request) + body.length };
}

async function prepare(server: Server, { live }: Group, n: number): Promise<boolean> {
  if (live.by === "nobody") return true;
  if (live.by === "plant") return server.plant(live.kind, live.object(n));
  for (const request of live.asks(n)) {
    // A dry run is for what is measured.
    const real = {
      ...request,
      target: request.target.replace(/[?&]dryRun=All/, (m) => (m.startsWith("?") ? "?" : "")),
    };
    const { code } = await server.ask(real);
    if (code >= 300) return false;
  }
  return true;
}

async function clear(server: Server, { live }: Group, n: number): Promise<void> {
  if (live.by === "plant") await server.forget(live.kind, live.object(n));
  if (live.by === "asks") await server.forget(live.kind, live.object);
}
