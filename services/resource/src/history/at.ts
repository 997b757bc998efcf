import { type HistoryLimits, limitsOf } from "@orch/history/rules.js";
import type { ObjectState, ObjectStates } from "@orch/history/states.js";
import { isObject } from "@orch/schema/descriptor.js";
import { type ApiError, badRequest, expired } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import type { Write } from "../write/write.js";
import { parsed } from "./documents.js";

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

export type Found =
  | { readonly type: "state"; readonly state: ObjectState }
  /** There was no object then. */
  | { readonly type: "nothing" }
  /** It lies before what is kept of the object. */
  | { readonly type: "unknown" };

const nothing: Found = { type: "nothing" };
const unknown: Found = { type: "unknown" };

/** What bounds how far back records tell of all changes. */
interface Kept {
  readonly limits: HistoryLimits | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The state in force at a moment. Of a state of which nobody knows who made it, nobody knows since when it stood either: it was
 * there from the object's creation on, as far as records go back.
 */
export function stateAt(states: ObjectStates, moment: Moment, kept: Kept): Found {
  let oldest: ObjectState | undefined;
  for (const state of states) {
    const { revision, author, change } = state;
    if (moment.type === "time" && author === undefined) return stoodAt(state, moment.time, { ...kept, states });
    if (moment.type === "revision" ? revision <= moment.revision : (author?.time ?? 0) <= moment.time)
      return change === "deleted" ? nothing : { type: "state", state };
    oldest = state;
  }
  return oldest === undefined || oldest.change === "created" ? nothing : unknown;
}

function stoodAt(state: ObjectState, time: number, { states, limits, now }: Kept & { states: ObjectStates }): Found {
  if (createdAt(state) > time) return nothing;
  const isCut = limits === undefined || states.changes >= limits.maxStates || time < now - limits.maxAgeMs;
  return isCut ? unknown : { type: "state", state };
}

/** In milliseconds since 1970; 0 where it is not known. */
function createdAt({ value }: ObjectState): number {
  const object = parsed(value);
  const metadata = isObject(object) ? object["metadata"] : undefined;
  const time = Date.parse(String(isObject(metadata) ? metadata["creationTimestamp"] : ""));
  return Number.isNaN(time) ? 0 : time;
}

/** Of a request's object or collection. */
export function keptOf({ deps, kind, request }: Write): Kept {
  const namespace = kind.namespaced ? request.namespace : "";
  const ruled = { group: kind.group, resource: kind.plural, namespace };
  return { limits: deps.history && limitsOf(deps.history, ruled), now: deps.now() };
}

/** What it was then is not kept, where `of` is an object's name. */
export function tooFarBack(of: string): ApiError {
  return expired(`what ${JSON.stringify(cut(of))} was at that moment is not kept: its history begins later`);
}

export const lost = (at: number) => expired(`the state at revision ${at} is not kept`);

/** @throws ApiError BadRequest for a moment that has not come yet */
export async function checkNotAhead({ deps, kind }: Write, moment: Moment): Promise<void> {
  if (moment.type === "time") {
    if (moment.time <= deps.now()) return;
    throw badRequest(`at: Invalid value: "${new Date(moment.time).toISOString()}": lies ahead`);
  }
  const newest = await deps.store.revision();
  if (moment.revision > newest)
    throw badRequest(`at: Invalid value: ${moment.revision}: the newest revision of ${kind.plural} is ${newest}`);
}
