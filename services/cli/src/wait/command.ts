import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { systemClock } from "@orch/runtime/clock.js";
import { durationFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { messageOf } from "@orch/status/message-of.js";
import type { World } from "../command.js";
import { print } from "../print.js";
import { runTool } from "../tool.js";

const pollMs = 500;
const answerMs = 5_000;

export const waitFlags = (orchconfig: string) =>
  ({
    orchconfig: stringFlag(orchconfig, {
      word: "file",
      help: "client configuration that names the server; ORCHCONFIG sets the default",
    }),
    path: stringFlag("/readyz", { help: "what is asked until it answers" }),
    timeout: durationFlag(60_000, { help: "how long" }),
  }) as const;

const description = "Waits until a server says that it is ready, and ends with 1 if it does not in time.";

/** `orch wait`; gives the exit code. */
export function runWait(argv: readonly string[], { environment }: World): Promise<number> {
  const flags = waitFlags(environment["ORCHCONFIG"] ?? "");
  return runTool({ name: "orch wait", description, flags }, argv, async (values) => {
    if (values.orchconfig === "") throw new Error("--orchconfig is needed, or ORCHCONFIG in the environment");
    const client = createClient(await readClientConfig(values.orchconfig), {
      userAgent: "orch-wait",
      timeout: answerMs,
    });
    try {
      print(`${await answered(client, { path: values.path, timeoutMs: values.timeout })}\n`);
      return 0;
    } finally {
      await client.close();
    }
  });
}

/** What the server answers in the end. @throws Error with what it answered last, where the time is over */
async function answered(client: Client, { path, timeoutMs }: { path: string; timeoutMs: number }): Promise<string> {
  const end = systemClock.monotonic() + timeoutMs;
  for (;;) {
    try {
      const signal = AbortSignal.timeout(answerMs);
      return (await client.raw({ method: "GET", path, signal })).body.toString("utf8").trim();
    } catch (error) {
      if (systemClock.monotonic() >= end) throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
