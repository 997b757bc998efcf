import { parseAddress } from "@orch/schema/formats/ip.js";
import { badRequest } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";

/** What the name in a proxy's path stands for: `name`, `name:port`, `scheme:name:port`; "" where a part is absent. */
export interface Addressed {
  readonly scheme: "http" | "https" | "";
  readonly name: string;
  /** A number, or a name. */
  readonly port: string;
}

/** `kind` is for the message: `pod`. @throws ApiError BadRequest */
export function parseAddressed(id: string, kind: "pod" | "service" | "node"): Addressed {
  const parts = id.split(":");
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  if (parts.length > 3 || name === "" || (scheme !== "" && scheme !== "http" && scheme !== "https")) {
    throw badRequest(`invalid ${kind} request ${JSON.stringify(cut(id))}`);
  }
  return { scheme, name, port };
}

/** Whether something may be asked at an address for somebody: not this machine, its link, or everybody. */
export function isProxyable(address: string): boolean {
  const bytes = parseAddress(address);
  if (bytes === undefined) return false;
  const [first = 0, second = 0] = bytes;
  if (bytes.length === 4) {
    const isMulticast = first >= 224 && first <= 239;
    const isBroadcast = bytes.every((byte) => byte === 255);
    const isUnspecified = bytes.every((byte) => byte === 0);
    return first !== 127 && !(first === 169 && second === 254) && !isMulticast && !isBroadcast && !isUnspecified;
  }
  const isNearZero = bytes.slice(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1;
  const isLinkLocal = first === 0xfe && (second & 0xc0) === 0x80;
  return !isNearZero && !isLinkLocal && first !== 0xff;
}

export const addressNotAllowed = (): Error => badRequest("address not allowed");
