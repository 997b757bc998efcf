import { expired } from "@orch/status/api-error.js";
import type { KeyRange } from "../key-range.js";
import { revision } from "../revision.js";
import type { Entry, Range, RangeQuery } from "../store.js";
import type { Calls } from "./calls.js";
import { visible } from "./layout.js";
import { type KeyValue, methods, type RangeRequest, type RangeResponse, toNumber } from "./methods.js";
import { proofOf } from "./proof.js";
import { toEntry } from "./values.js";

/** A read of etcd; the failures that a Store's reader may see, as errors. */
export async function read(calls: Calls, request: RangeRequest): Promise<RangeResponse> {
  const answer = await calls.repeatable(methods.range, request);
  switch (answer.type) {
    case "answer":
      return answer.response;
    case "compacted":
      throw expired(`revision ${toNumber(request.revision)} was compacted`);
    case "future":
      throw new RangeError(`revision ${toNumber(request.revision)} lies in the future`);
    case "refused":
      throw answer.error;
  }
}

export function revisionOf(response: { readonly header?: RangeResponse["header"] }): number {
  return toNumber(response.header?.revision);
}

/** A message of etcd holds a whole answer: read large ranges in pages of about this many bytes. */
const pageBytes = 8 << 20;
const firstPage = 500;
const largestPage = 20_000;

/** Entries under a prefix, in pages of one revision (see Store.range). */
export function readRange(calls: Calls, prefix: string, query: RangeQuery): Promise<Range> {
  return readKeys(calls, visible(prefix, query.prefix, query.from), query);
}

/** The same of any keys. */
export async function readKeys(
  calls: Calls,
  { start, end }: KeyRange,
  query: Omit<RangeQuery, "prefix" | "from">,
): Promise<Range> {
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  if (Buffer.compare(start, end) >= 0 || limit <= 0) return emptyRange(calls, { start, end, at: query.at });
  const entries: Entry[] = [];
  let at: number = query.at ?? 0;
  let count = -1;
  let next = start;
  let newest: KeyValue | undefined;
  let newestAt = 0;
  // Who lends has asked for as much as it wants at once.
  let page = query.lent === true ? largestPage : firstPage;
  for (;;) {
    const request = { key: next, rangeEnd: end, revision: at, limit: Math.min(page, limit - entries.length) };
    const response = await read(calls, request);
    if (count === -1) count = toNumber(response.count);
    if (at === 0) at = revisionOf(response);
    let bytes = 0;
    for (const kv of response.kvs ?? []) {
      bytes += 64 + (kv.value?.length ?? 0);
      const entry = toEntry(kv, query);
      entries.push(entry);
      if (query.prove === undefined || entry.revision <= newestAt) continue;
      newest = kv;
      newestAt = entry.revision;
    }
    const last = response.kvs?.at(-1)?.key;
    if (response.more !== true || entries.length >= limit || !last) {
      return { entries, revision: revision(at), count, ...(newest === undefined ? {} : { proof: proofOf(newest) }) };
    }
    next = Buffer.concat([last, Buffer.alloc(1)]);
    page = Math.max(1, Math.min(largestPage, Math.floor((page * pageBytes) / bytes)));
  }
}

interface Empty {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly at: number | undefined;
}

/** etcd has no limit of 0 and reads a range that ends before it starts as it likes: only count. */
async function emptyRange(calls: Calls, { start, end, at }: Empty): Promise<Range> {
  const isEmpty = Buffer.compare(start, end) >= 0;
  const range = isEmpty ? { key: start } : { key: start, rangeEnd: end };
  const response = await read(calls, { ...range, countOnly: true, revision: at ?? 0 });
  return { entries: [], revision: revision(at ?? revisionOf(response)), count: isEmpty ? 0 : toNumber(response.count) };
}
