import type { Clock } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import { type ClientConfig, readClientConfig } from "./config.js";

export interface ServiceConfigOptions {
  /** For the sentence that says what is wrong. */
  readonly program: string;
  readonly clock: Clock;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** How a service reaches its server: of the file that `--orchconfig` names. Ends the process with 1 where it cannot be read. */
export async function serviceConfig(
  path: string,
  { program, clock, environment }: ServiceConfigOptions,
): Promise<ClientConfig> {
  try {
    if (path === "") throw new Error("--orchconfig is needed");
    return await readClientConfig(path, { tools: { clock, environment, interactive: false } });
  } catch (error) {
    process.stderr.write(`${program}: ${messageOf(error)}\n`);
    return process.exit(1);
  }
}
