import { ApiError } from "@orch/status/api-error.js";
import type { NoteSpace } from "./notes.js";
import type { Key, Revision } from "./revision.js";

/** What stands at a key cannot be read: nobody gets it, nor what stood there before, as if it were the value. */
export interface Damage {
  readonly key: Key;
  /** Of the state that cannot be read. */
  readonly revision: Revision;
  readonly why: string;
  /** It is whole as far as one can see, and sealed by a key that is not at hand. */
  readonly sealed?: true;
  /** It is a note, of this space, and no entry. */
  readonly note?: NoteSpace;
}

/**
 * How a read ends that meets a damaged entry: 500 with a text that says which. It can be deleted, by its revision, or
 * restored from a backup.
 */
export class DamagedEntry extends ApiError implements Damage {
  readonly key: Key;
  readonly revision: Revision;
  readonly why: string;

  /** `cause` is for the log; `read` tells whether it was asked for by its key or met among others. */
  constructor({ key, revision, why, sealed }: Damage, cause?: unknown, read: DamageRead = "key") {
    const damage: Damage = { key, revision, why, ...(sealed === true ? { sealed } : {}) };
    const causes = causesOf([damage], read);
    super("InternalError", damageText([damage], read), {
      cause,
      ...(causes === undefined ? {} : { details: { causes } }),
    });
    this.key = key;
    this.revision = revision;
    this.why = why;
  }
}

const sealedMark = Buffer.from("k8s:enc:");

/** A value that is whole and no object all the same. */
export function noObject({
  key,
  revision,
  value,
}: Pick<Damage, "key" | "revision"> & { readonly value: Buffer }): Damage {
  // Of a server that encrypts; this one does not, or not any more.
  if (value.subarray(0, sealedMark.length).equals(sealedMark)) {
    return { key, revision, why: "identity transformer tried to read encrypted data", sealed: true };
  }
  return { key, revision, why: "it is no object of its kind" };
}

/** An answer names so many; the log and `check` have them all. */
const namedAtMost = 10;

/** How the reader came upon what cannot be read: by its key, or among others of a range. */
export type DamageRead = "key" | "range";

/** Why a value that is sealed is not given, as the reference tells it; undefined where there is another damage. */
function sealedText([first, ...others]: readonly Damage[], read: DamageRead): string | undefined {
  if (first?.sealed !== true || others.some(({ sealed }) => sealed !== true)) return undefined;
  return read === "key" ? first.why : `unable to transform key ${JSON.stringify(first.key)}: ${first.why}`;
}

/** What an answer has of it beside its text. */
export function causesOf(
  damages: readonly Damage[],
  read: DamageRead,
): readonly { readonly message: string }[] | undefined {
  const message = sealedText(damages, read);
  return message === undefined ? undefined : [{ message }];
}

export function damageText(damages: readonly Damage[], read: DamageRead = "range"): string {
  const sealed = sealedText(damages, read);
  if (sealed !== undefined) return `Internal error occurred: ${sealed}`;
  const named = damages
    .slice(0, namedAtMost)
    .map(({ key, revision, why }) => `${key} at revision ${revision} (${why})`);
  const more = damages.length > named.length ? `, and ${damages.length - named.length} more` : "";
  return `Internal error occurred: the stored value cannot be read: ${named.join(", ")}${more}`;
}
