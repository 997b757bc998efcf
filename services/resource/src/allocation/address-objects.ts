import type { Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { objectOf } from "@orch/codec/json.js";
import type { Naming } from "@orch/naming/naming.js";
import { wireTime } from "@orch/status/wire-time.js";
import { encodeStored } from "../write/storing/stored.js";
import { type AddressObjects, type Claim, printedClaim, readClaim } from "./claims.js";

export interface AddressObjectsDeps {
  /** IPAddress, as it is stored. */
  readonly kind: Kind;
  readonly naming: Naming;
  readonly newUid: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const ofNobody: Claim = { owner: { namespace: "", name: "", uid: "" }, since: 0 };

/** See {@link AddressObjects}. */
export function createAddressObjects({ kind, naming, newUid, now }: AddressObjectsDeps): AddressObjects {
  const words = addressWords(naming);
  return {
    folder: `${kind.storage.prefix}/`,
    print(address, claim) {
      const { namespace, name } = claim.owner;
      const object: AnyObject = {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: {
          name: address,
          uid: newUid(),
          creationTimestamp: wireTime(now()),
          labels: {
            [words.family]: address.includes(":") ? "IPv6" : "IPv4",
            [words.managedBy]: words.manager,
          },
          annotations: { [words.claim]: printedClaim(claim) },
        },
        spec: { parentRef: { group: "", resource: "services", namespace, name } },
      };
      return encodeStored(kind, object).bytes;
    },
    read(value) {
      // Clients write them, too: whatever is no claim is nobody's.
      try {
        const { labels, annotations } = withMetadata(objectOf(value)).metadata;
        const text = annotations?.[words.claim];
        return labels?.[words.managedBy] !== words.manager || text === undefined ? ofNobody : readClaim(text);
      } catch {
        return ofNobody;
      }
    },
  };
}

/** The labels and the annotation of IPAddress objects. */
function addressWords(naming: Naming) {
  const label = (name: string): string => `ipaddress.${naming.key(name)}`;
  return {
    family: label("ip-family"),
    managedBy: label("managed-by"),
    manager: naming.group("ipallocator"),
    claim: label("claim"),
  } as const;
}
