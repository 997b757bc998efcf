import { createHash } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import { wireMicroTime } from "@orch/status/wire-time.js";
import { type OwnKind, type OwnWriteDeps, writeOwn } from "./write.js";

export interface Identity {
  /** Identifies this gateway across restarts: its host, and its port where a host runs several. */
  readonly place: string;
  readonly host: string;
  /** Of this run. */
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How often a gateway renews its lease; a gateway whose lease has run out is forgotten. */
export const renewMs = 10_000;
const leaseDurationSeconds = 3600;

/** By the names and the rule of the reference's APIServerIdentity. */
export function leaseName(place: string): string {
  const hash = createHash("sha256").update(place).digest().subarray(0, 16);
  return `apiserver-${base32(hash)}`;
}

/** Renews the lease that names this gateway. @throws ApiError */
export async function renewIdentity(deps: OwnWriteDeps, { place, host, uid, now }: Identity): Promise<void> {
  const { naming } = deps;
  const name = leaseName(place);
  const renewTime = wireMicroTime(now());
  await writeOwn(deps, leases(naming), name, {
    metadata: {
      labels: {
        [`apiserver.${naming.key("identity")}`]: naming.systemName("apiserver"),
        [naming.key("hostname")]: host,
      },
    },
    spec: { holderIdentity: `${name}_${uid}`, leaseDurationSeconds, renewTime },
  });
}

function leases(naming: Naming): OwnKind {
  return { group: naming.group("coordination"), version: "v1", resource: "leases" };
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** RFC 4648 in small letters, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let text = "";
  for (let at = 0; at < bits.length; at += 5) {
    text += alphabet[Number.parseInt(bits.slice(at, at + 5).padEnd(5, "0"), 2)];
  }
  return text;
}
