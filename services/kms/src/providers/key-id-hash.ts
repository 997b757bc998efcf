import { hash } from "node:crypto";

/** How a plugin's key is named to people: the key id itself may tell too much. Empty for none. */
export function keyIdHash(keyId: string): string {
  return keyId === "" ? "" : `sha256:${hash("sha256", keyId)}`;
}
