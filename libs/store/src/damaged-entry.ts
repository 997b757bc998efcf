import { ApiError } from "@orch/status/api-error.js";
import type { Key, Revision } from "./revision.js";

/** What stands at a key cannot be read: nobody gets it, nor what stood there before, as if it were the value. */
export interface Damage {
  readonly key: Key;
  /** Of the state that cannot be read. */
  readonly revision: Revision;
  readonly why: string;
}

/**
 * How a read ends that meets a damaged entry: 500 with a text that says which. It can be deleted, by its revision, or
 * restored from a backup.
 */
export class DamagedEntry extends ApiError implements Damage {
  readonly key: Key;
  readonly revision: Revision;
  readonly why: string;

  /** `cause` is for the log. */
  constructor({ key, revision, why }: Damage, cause?: unknown) {
    super("InternalError", damageText([{ key, revision, why }]), { cause });
    this.key = key;
    this.revision = revision;
    this.why = why;
  }
}

/** A value that is whole and no object all the same. */
export function noObject({ key, revision }: Pick<Damage, "key" | "revision">): Damage {
  return { key, revision, why: "it is no object of its kind" };
}

/** An answer names so many; the log and `check` have them all. */
const namedAtMost = 10;

export function damageText(damages: readonly Damage[]): string {
  const named = damages
    .slice(0, namedAtMost)
    .map(({ key, revision, why }) => `${key} at revision ${revision} (${why})`);
  const more = damages.length > named.length ? `, and ${damages.length - named.length} more` : "";
  return `Internal error occurred: the stored value cannot be read: ${named.join(", ")}${more}`;
}
