import { setOwn } from "@orch/schema/decode.js";
import type { JsonObject } from "@orch/schema/descriptor.js";

/** An object on its way to a changed one; copied when the first member differs. */
export interface Draft {
  readonly source: JsonObject;
  copy: Record<string, unknown> | undefined;
}

export function draftOf(source: JsonObject): Draft {
  return { source, copy: undefined };
}

/** A member's value; undefined where it is absent. */
export function read(draft: Draft, name: string): unknown {
  const object = draft.copy ?? draft.source;
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a member; undefined removes it. */
export function write(draft: Draft, name: string, value: unknown): void {
  if (read(draft, name) === value) return;
  draft.copy ??= { ...draft.source };
  if (value === undefined) delete draft.copy[name];
  else setOwn(draft.copy, name, value);
}

/** The object as it is now: the source itself where nothing was changed. */
export function written(draft: Draft): JsonObject {
  return draft.copy ?? draft.source;
}
