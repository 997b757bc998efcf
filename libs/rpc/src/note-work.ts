import type { Collection } from "@orch/status/target.js";

/**
 * Records what a process is about to do for a request, with the bytes of its body or answer, so that a report of a blocked
 * event loop can name the cause. The texts are words of the catalog.
 */
export type NoteWork = (verb: string, work: Pick<Collection, "group" | "resource">, bytes: number) => void;
