/** As whom a client wants to be seen; the server asks whether it may. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type HeaderValues = Readonly<Record<string, string | string[]>>;

export function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): HeaderValues {
  const extras = Object.entries(extra).map(([key, values]) => [`impersonate-extra-${escaped(key)}`, values.map(utf8)]);
  return {
    "impersonate-user": utf8(user),
    ...(uid === undefined ? {} : { "impersonate-uid": utf8(uid) }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups.map(utf8) }),
    ...Object.fromEntries(extras),
  };
}

/** Node writes a header's characters as single bytes. */
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

/** A key with `%41` for every byte that no header's name may hold, and for `%` itself. */
function escaped(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
