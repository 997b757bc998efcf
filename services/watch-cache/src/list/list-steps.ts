import type { Pacer } from "@orch/rpc/pacer.js";
import { ApiError } from "@orch/status/api-error.js";
import type { SizedChunks } from "./list-body.js";

/** Who takes the chunks of a body. */
export interface Taker {
  /** False once nobody does any more. */
  wants(): boolean;
  /** False where it is enough for now. */
  take(chunk: Buffer): boolean;
  /** Called once, last. */
  end(error?: ApiError): void;
}

export interface Steps {
  /** To begin with, and where the taker wants more after it had enough. */
  goOn(): void;
}

/** Looking up what is there takes its time, too. */
const leastWork = 16 * 1024;

/** Gives a body to its taker chunk by chunk. Chunks that are costly to make take turns in the pacer. */
export function stepsOf({ chunks, takeWork }: SizedChunks, pacer: Pacer, taker: Taker): Steps {
  /** It has its turn to come, or is in it, or is over. */
  let busy = false;
  const step = (): boolean => {
    if (!taker.wants()) return false;
    try {
      const { done, value } = chunks.next();
      if (done !== true) return value.length === 0 || taker.take(value);
      busy = true;
      taker.end();
    } catch (error) {
      busy = true;
      taker.end(ApiError.from(error));
    }
    return false;
  };
  const inTurns = (): void => {
    if (busy) return;
    busy = true;
    pacer.next(() => {
      busy = false;
      const more = step();
      pacer.spent(Math.max(leastWork, takeWork?.() ?? 0));
      if (more) inTurns();
    });
  };
  const atOnce = (): void => {
    if (busy) return;
    while (step());
  };
  return { goOn: takeWork === undefined ? atOnce : inTurns };
}

/** All of a body. @throws what making it threw, as an ApiError */
export function joined(chunks: SizedChunks, pacer: Pacer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    stepsOf(chunks, pacer, {
      wants: () => true,
      take: (chunk) => parts.push(chunk) > 0,
      end: (error) => (error === undefined ? resolve(Buffer.concat(parts)) : reject(error)),
    }).goOn();
  });
}
