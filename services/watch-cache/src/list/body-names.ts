import { createHash } from "node:crypto";
import type { Joined, SizedChunks } from "./list-body.js";

/** Names of bodies for askers that keep them: equal for equal bytes alone, in whatever process and whoever wrote them. */
export interface BodyNames {
  /** Of what stands behind the first chunk; "" where that is not kept here either. */
  of(body: SizedChunks): string;
}

export function createBodyNames(): BodyNames {
  const names = new WeakMap<Joined, string>();
  return {
    of({ rest }) {
      if (rest === undefined) return "";
      const known = names.get(rest);
      if (known !== undefined) return known;
      const name = nameOf(rest);
      names.set(rest, name);
      return name;
    },
  };
}

/** SHA-256: who writes objects must not be able to make two bodies of one name. */
function nameOf({ chunks }: Joined): string {
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest("base64url");
}
