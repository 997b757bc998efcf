import { randomBytes } from "node:crypto";
import { parseYaml } from "@orch/codec/yaml/yaml.js";

/** A key of the file. */
export interface PluginKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Buffer;
}

/** The first is the one that wraps; any unwraps what it wrapped. */
export type PluginKeyFile =
  | { readonly ok: true; readonly keys: readonly [PluginKey, ...(readonly PluginKey[])] }
  | { readonly ok: false; readonly problem: string };

const keyBytes = 32;
const longestId = 100;

/** `keys: [{id: …, secret: <32 bytes in base64>}]`, YAML or JSON. No problem shows a secret. */
export function parseKeyFile(text: string): PluginKeyFile {
  const refuse = (problem: string): PluginKeyFile => ({ ok: false, problem });
  const decoded = parseYaml(Buffer.from(text));
  if (!decoded.ok) return refuse("the file is neither YAML nor JSON");
  const listed: unknown = decoded.value instanceof Object ? Reflect.get(decoded.value, "keys") : undefined;
  if (!Array.isArray(listed)) return refuse("keys: must be a list");
  const keys: PluginKey[] = [];
  for (const [i, each] of listed.entries()) {
    const [id, secret] = ["id", "secret"].map((name): unknown =>
      each instanceof Object ? Reflect.get(each, name) : "",
    );
    if (typeof id !== "string" || id === "" || Buffer.byteLength(id) > longestId) {
      return refuse(`keys[${i}].id: must be 1 to ${longestId} bytes`);
    }
    if (keys.some((key) => key.id === id)) return refuse(`keys[${i}].id: ${JSON.stringify(id)} is there already`);
    const bytes = typeof secret === "string" ? Buffer.from(secret, "base64") : Buffer.alloc(0);
    if (bytes.length !== keyBytes) return refuse(`keys[${i}].secret: must be ${keyBytes} bytes in base64`);
    keys.push({ id, secret: bytes });
  }
  const [first, ...others] = keys;
  return first === undefined ? refuse("keys: there must be one") : { ok: true, keys: [first, ...others] };
}

/** The text of a file whose first key is a new one. */
export function withNewKey(keys: readonly PluginKey[], id: string): string {
  const all = [{ id, secret: randomBytes(keyBytes) }, ...keys];
  const listed = all.map((key) => ({ id: key.id, secret: key.secret.toString("base64") }));
  return `${JSON.stringify({ keys: listed }, undefined, 2)}\n`;
}
