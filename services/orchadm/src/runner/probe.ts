import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { Readiness } from "./unit.js";

/** Asks once. Never rejects; `clock` bounds it. */
export type Probe = (readiness: Pick<Readiness, "url" | "timeoutMs">) => Promise<boolean>;

/** Whether an answer of 200 to 399 comes in time. Whose certificate it is nobody asks: a probe tells no secret. */
export const probeOnce: Probe = ({ url, timeoutMs }) =>
  new Promise((resolve) => {
    const target = new URL(url);
    const request = target.protocol === "https:" ? secureRequest : plainRequest;
    const options = { agent: false as const, rejectUnauthorized: false, signal: AbortSignal.timeout(timeoutMs) };
    const asked = request(target, options, (answer) => {
      const { statusCode = 0 } = answer;
      resolve(statusCode >= 200 && statusCode < 400);
      answer.on("error", () => {});
      asked.destroy();
    });
    asked.on("error", () => resolve(false));
    asked.end();
  });
