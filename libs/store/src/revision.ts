/** A store revision: a positive safe integer; 0 stands for "does not exist". */
export type Revision = number & { readonly __revision: unique symbol };
/** An absolute key of the store. */
export type Key = string & { readonly __key: unique symbol };

export function revision(value: number): Revision {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a revision: ${value}`);
  return value as Revision;
}

export const noRevision: Revision = revision(0);

export function key(value: string): Key {
  return value as Key;
}
