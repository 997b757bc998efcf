import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { sleep } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Tools } from "../world.js";

export interface WaitOptions {
  readonly what: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly everyMs?: number;
  /** Told once, of the first attempt that fails and is made again. */
  readonly told?: (problem: string) => void;
}

/**
 * Tries until it works. @throws Error that says what for, and why it did not, once the time is over
 */
export async function until<T>(
  attempt: () => Promise<T>,
  { what, timeoutMs, everyMs = 250, told }: WaitOptions,
  { clock }: Pick<Tools, "clock">,
): Promise<T> {
  const end = clock.monotonic() + timeoutMs;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Final || clock.monotonic() >= end) {
        throw new Error(error instanceof Final ? error.message : `${what}: ${messageOf(error)}`, { cause: error });
      }
      if (attempts === 1) told?.(messageOf(error));
    }
    await sleep(clock, everyMs);
  }
}

/** What no further attempt would change. */
export class Final extends Error {}

const probeMs = 3_000;

/** Resolves where an address answers with a status below 400; its certificate is not looked at. */
export function probe(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const request = target.protocol === "https:" ? requestHttps : requestHttp;
    const asked = request(target, { timeout: probeMs, agent: false, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      const { statusCode = 0 } = answer;
      if (statusCode < 400) resolve();
      else reject(new Error(`${url} answers ${statusCode}`));
    });
    asked.on("timeout", () => asked.destroy(new Error(`${url} does not answer`)));
    asked.on("error", reject);
    asked.end();
  });
}
