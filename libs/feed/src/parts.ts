import type { Damage } from "@orch/store/damaged-entry.js";
import { type Key, noRevision } from "@orch/store/revision.js";
import type { Entry, Proof, Range, RangeQuery } from "@orch/store/store.js";

/**
 * What is under some prefixes as if it were all that is under one: in key order, at one revision. The count tells whether
 * there is more and not how much, which all of them would have to be asked for.
 */
export async function rangeOfParts(
  ask: (query: RangeQuery) => Promise<Range>,
  parts: readonly Key[],
  query: RangeQuery,
): Promise<Range> {
  const { from, limit: wanted, ...rest } = query;
  const entries: Entry[] = [];
  const damaged: Damage[] = [];
  let proof: Proof | undefined;
  let at = query.at;
  let isMore = false;
  for (const prefix of parts.toSorted()) {
    if (from !== undefined && prefix < from && !from.startsWith(prefix)) continue;
    const taken = entries.length + damaged.length;
    if (wanted !== undefined && taken >= wanted) {
      isMore = true;
      break;
    }
    const page = await ask({
      ...rest,
      prefix,
      ...(from === undefined || from < prefix ? {} : { from }),
      ...(wanted === undefined ? {} : { limit: wanted - taken }),
      ...(at === undefined ? {} : { at }),
    });
    at = page.revision;
    // Nothing was written yet. A query says "the newest" by the same number.
    if (at === noRevision) break;
    for (const entry of page.entries) entries.push(entry);
    for (const damage of page.damaged ?? []) damaged.push(damage);
    if (page.proof !== undefined && (proof === undefined || page.proof.revision > proof.revision)) proof = page.proof;
    isMore = page.count > page.entries.length + (page.damaged?.length ?? 0);
    if (isMore) break;
  }
  return {
    entries,
    revision: at ?? (await ask({ ...rest, limit: 1 })).revision,
    count: entries.length + damaged.length + (isMore ? 1 : 0),
    ...(damaged.length > 0 ? { damaged } : {}),
    ...(proof === undefined ? {} : { proof }),
  };
}
