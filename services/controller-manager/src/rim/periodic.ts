import { pause } from "@orch/client/pause.js";
import { within } from "@orch/client/within.js";
import type { Controller, ControllerName } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import type { Informer } from "./informers.js";

/** How long an answer is waited for where a whole round waits with it. */
export const answerDeadlineMs = 10_000;

/** A control loop that looks at everything again and again. */
export interface Periodic {
  readonly name: ControllerName;
  /** Between the end of a round and the begin of the next. */
  readonly periodMs: number;
  /** Listed before the first round. */
  readonly reads: readonly Informer[];
  /** What is thrown is told, and the next round begins as ever. */
  readonly round: (signal: AbortSignal) => Promise<void>;
}

export function createPeriodic({ name, periodMs, reads, round }: Periodic, tools: ControllerTools): Controller {
  const { clock } = tools;
  const onError = failureTeller(tools, name);
  return {
    async run(signal) {
      const following = reads.map((informer) => informer.follow({}, { signal, onError }));
      await Promise.race([Promise.all(reads.map(({ synced }) => synced)), ...following]);
      while (!signal.aborted) {
        await round(signal).catch((error) => {
          if (!signal.aborted) onError(error);
        });
        await pause(periodMs, { clock, signal });
      }
      await Promise.all(following);
    },
  };
}

/** Does something with each, one after the other: what fails, or takes too long, holds up nobody else. */
export async function each<T>(
  items: Iterable<T>,
  { tools, name, fieldsOf, signal }: EachOptions<T>,
  act: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const onError = failureTeller(tools, name);
  for (const item of items) {
    if (signal.aborted) return;
    await within(answerDeadlineMs, { clock: tools.clock, signal }, (late) => act(item, late)).catch((error) => {
      if (!signal.aborted) onError(error, fieldsOf(item));
    });
  }
}

export interface EachOptions<T> {
  readonly tools: ControllerTools;
  readonly name: ControllerName;
  /** What the log says of an item. */
  readonly fieldsOf: (item: T) => object;
  readonly signal: AbortSignal;
}
