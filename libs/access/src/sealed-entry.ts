import { createHmac, hkdfSync } from "node:crypto";
import { sameSecret } from "@orch/auth/secrets.js";
import { readJson } from "@orch/status/read-json.js";

/**
 * Entries of a cache that others can write to. Whoever does not know the secret can neither make an entry nor change
 * one, put it in another's place or make it last longer, nor learn from its name what it is kept for.
 *
 *     name "token:YWJj" → "token:<HMAC of the name>"
 *     entry             → "<HMAC of name and text><text>", text {"until":1767225600000,"value":…}
 */
export interface EntrySeal {
  /** The name under which an entry of a part is kept. */
  nameOf(part: string, key: string): string;
  seal(name: string, entry: Entry): string;
  /** Undefined for what was not sealed under this name. */
  open(name: string, text: string): Entry | undefined;
}

export interface Entry {
  readonly value: unknown;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export const minSecretBytes = 32;
const macLength = 43; // SHA-256 in base64url

/** @throws Error for a secret that is too short */
export function createEntrySeal(secret: Uint8Array): EntrySeal {
  if (secret.length < minSecretBytes) throw new Error(`the secret has less than ${minSecretBytes} bytes`);
  const nameKey = derived(secret, "decision cache: names");
  const entryKey = derived(secret, "decision cache: entries");
  const macOf = (name: string, text: string): string => hmac(entryKey, `${name}\n${text}`);
  return {
    nameOf: (part, key) => `${part}:${hmac(nameKey, `${part}\n${key}`)}`,
    seal(name, { value, until }) {
      const text = JSON.stringify({ until, value });
      return macOf(name, text) + text;
    },
    open(name, sealed) {
      const text = sealed.slice(macLength);
      if (!sameSecret(sealed.slice(0, macLength), macOf(name, text))) return undefined;
      // It is our own text from here on.
      const { value, until }: Entry = readJson(text);
      return { value, until };
    },
  };
}

const derived = (secret: Uint8Array, what: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", what, 32));

const hmac = (key: Buffer, text: string): string => createHmac("sha256", key).update(text).digest("base64url");
