import { sleep, systemClock } from "@orch/runtime/clock.js";

/** Something that the service makes at its start, and is not ready without. */
export interface Prerequisite {
  /** As it stands in sentences: `the system's namespaces`. */
  readonly what: string;
  readonly isDone: boolean;
  readonly done: Promise<void>;
  /** Makes it, again and again until that has succeeded once or the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export interface PrerequisiteOptions {
  readonly make: () => Promise<unknown>;
  /** Called once it is there. */
  readonly finished?: () => void;
  readonly log: (what: string, error: unknown) => void;
}

const retryMs = 500;

export function createPrerequisite(what: string, { make, finished, log }: PrerequisiteOptions): Prerequisite {
  let isDone = false;
  let announce: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    announce = resolve;
  });
  return {
    what,
    get isDone() {
      return isDone;
    },
    done,
    async run(signal) {
      while (!signal.aborted && !isDone) {
        try {
          await make();
          isDone = true;
          announce();
          finished?.();
        } catch (error) {
          log(`creating ${what} failed; trying again`, error);
          await sleep(systemClock, retryMs, signal);
        }
      }
    },
  };
}
