import { behavior } from "../../behavior.js";
import { type Binding, validateBinding } from "../../binding.js";

/** A pod is bound to a node. */
export const binding = behavior<Binding>(() => ({ validate: validateBinding }));
