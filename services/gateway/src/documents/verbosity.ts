import type { Exchange } from "../http/exchange.js";

/** A level of `--v`; 0 is what the flags say. */
export type SetVerbosity = (level: number) => void;

export const verbosityPath = "/debug/flags/v";

/** The most that a number of 32 bits takes as text, and space around it. */
const longestBody = 64;
const largest = 2 ** 31 - 1;
const headers = ["Content-Type", "text/plain; charset=utf-8", "X-Content-Type-Options", "nosniff"];

/** `PUT /debug/flags/v` with a number: how much this process writes to its log from now on. */
export async function answerVerbosity({ request, response }: Exchange, setVerbosity: SetVerbosity): Promise<void> {
  if (request.method !== "PUT") return response.send(406, headers, "unsupported http method");
  const text = (await request.body(longestBody)).toString("utf8").trim();
  const level = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(Math.abs(level) <= largest)) {
    const problem = `${JSON.stringify(text)} is not a number of 32 bits`;
    return response.send(400, headers, `failed to set klog.logging.verbosity: ${problem}`);
  }
  setVerbosity(level);
  return response.send(200, headers, `successfully set klog.logging.verbosity to ${text}`);
}
