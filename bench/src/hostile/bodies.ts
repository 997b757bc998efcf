import type { FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";
import type { Group } from "../growth/rows.js";
import { mostBytes } from "../growth/search.js";
import { pick } from "../random.js";

export interface Hostile {
  /** What it is, to find it again. */
  readonly name: string;
  readonly request: FakeRequest;
}

const leastBytes = 1 << 10;
/** More than a server takes in a head is refused by the parser alone. */
const headBytes = 48 << 10;

/** A row of the growth search with a random number of elements, some of them damaged or stored in earnest. */
export function hostileOf(groups: readonly Group[], random: () => number): Hostile | undefined {
  const group = pick(random, groups);
  const row = group === undefined ? undefined : pick(random, group.rows);
  if (group === undefined || row === undefined) return undefined;
  const most = Math.min(mostBytes, group.maxBytes === undefined ? mostBytes : headBytes);
  const bytes = leastBytes * (most / leastBytes) ** random();
  const element = Math.max(1, (group.bytes(20) - group.bytes(10)) / 10);
  const n = Math.max(1, Math.floor(bytes / element));
  const request = inEarnest(row.ask(n), random);
  const damage = damageOf(random);
  const body = request.body === undefined ? undefined : damage.done(Buffer.from(request.body));
  const name = `${group.name} ${row.name} n=${n} ${damage.name}`;
  return { name, request: body === undefined ? request : { ...request, body: body.subarray(0, mostBytes + 10) } };
}

/** A third is no dry run. */
function inEarnest(request: FakeRequest, random: () => number): FakeRequest {
  if (random() > 0.33) return request;
  return { ...request, target: request.target.replace("dryRun=All&", "").replace(/[?&]dryRun=All/, "") };
}

interface Damage {
  readonly name: string;
  readonly done: (body: Buffer) => Buffer;
}

function damageOf(random: () => number): Damage {
  const at = random();
  const place = (body: Buffer): number => Math.floor(at * body.length);
  const kinds: readonly Damage[] = [
    { name: "whole", done: (body) => body },
    { name: "whole", done: (body) => body },
    { name: "cut", done: (body) => body.subarray(0, place(body)) },
    { name: "twice", done: (body) => Buffer.concat([body, body]) },
    { name: "a byte changed", done: (body) => changed(body, place(body), random) },
    {
      name: "a piece again",
      done: (body) => Buffer.concat([body.subarray(0, place(body)), body.subarray(place(body) / 2)]),
    },
  ];
  return pick(random, kinds) ?? { name: "whole", done: (body) => body };
}

function changed(body: Buffer, at: number, random: () => number): Buffer {
  const copy = Buffer.from(body);
  if (at < copy.length) copy[at] = Math.floor(random() * 256);
  return copy;
}
