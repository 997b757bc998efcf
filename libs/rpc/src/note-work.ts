import type { Collection } from "@orch/status/target.js";

/**
 * Told what a process is about to do for a request, with the bytes of its body or answer, so that whoever finds the event
 * loop held can say by what. The texts are words of the catalog.
 */
export type NoteWork = (verb: string, work: Pick<Collection, "group" | "resource">, bytes: number) => void;
