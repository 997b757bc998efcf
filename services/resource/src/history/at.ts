import type { ObjectState } from "@orch/history/states.js";
import { badRequest, expired } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import type { Write } from "../write/write.js";

/** The moment that `?at=` names. */
export type Moment =
  | { readonly type: "revision"; readonly revision: number }
  /** Milliseconds since 1970. */
  | { readonly type: "time"; readonly time: number };

const digits = /^\d{1,15}$/;
/** RFC 3339; a longer fraction than milliseconds is cut. */
const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** @throws ApiError BadRequest */
export function parseMoment(text: string): Moment {
  if (digits.test(text)) return { type: "revision", revision: Number(text) };
  const time = dateTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw badRequest(`at: Invalid value: ${JSON.stringify(cut(text))}: must be a revision or an RFC 3339 time`);
  return { type: "time", time };
}

/**
 * The state in force at a moment, of states newest first; undefined where there was no object then. Of a state of which nobody
 * knows who made it, it is not known either since when it stood: it counts from before everything that is known.
 */
export function stateAt(states: readonly ObjectState[], moment: Moment): ObjectState | undefined {
  const found = states.find(({ revision, author }) =>
    moment.type === "revision" ? revision <= moment.revision : author === undefined || author.time <= moment.time,
  );
  return found?.change === "deleted" ? undefined : found;
}

export const lost = (at: number) => expired(`the state at revision ${at} is not kept`);

/** @throws ApiError BadRequest for a revision that there is not yet */
export async function checkNotAhead({ deps, kind }: Write, wanted: number): Promise<void> {
  const newest = await deps.store.revision();
  if (wanted > newest)
    throw badRequest(`at: Invalid value: ${wanted}: the newest revision of ${kind.plural} is ${newest}`);
}
