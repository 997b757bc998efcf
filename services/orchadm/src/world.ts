import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/status/clock.js";
import type { Machine } from "./machine/machine.js";

/** What the process is given; `main.ts` makes it. */
export interface World {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Asks whoever sits there; an empty text where nobody does. */
  readonly ask: (question: string) => Promise<string>;
  /** Of this process. */
  readonly pid: number;
  /** Aborts with SIGTERM or SIGINT, which end the process no more once this was called. */
  readonly untilStopped: () => AbortSignal;
  /** How services are started: the one program, with the word of a service behind it. */
  readonly program: Program;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** What a command works with. */
export interface Tools extends World {
  readonly naming: Naming;
  readonly machine: Machine;
  /** Of this build: `v1.32.0`. */
  readonly version: string;
  /** Told where `-v` is 1 or more. */
  readonly trace: (text: string) => void;
}
