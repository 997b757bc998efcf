import { refused } from "../providers/cipher.js";
import { isSealed } from "../providers/prefixes.js";
import type { Step } from "./step.js";

const sealed = refused("identity transformer tried to read encrypted data");

/** Values as they are. */
export const identityStep: Step = {
  prefix: Buffer.alloc(0),
  seal: (plain) => plain,
  open: (stored) => (isSealed(stored) ? sealed : { ok: true, value: stored, stale: false }),
};
