import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { type Reloaded, reloadedFiles } from "@orch/runtime/tls-files.js";
import { messageOf } from "@orch/status/message-of.js";

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the start with a sentence about wrong flags or files. */
  readonly refuse: (problem: string) => never;
}

/** By whom agents' certificates are signed, PEM, as the file has it now; "" where no file is named. */
export async function followAuthority(
  path: string,
  { clock, log, refuse }: Deps,
): Promise<Pick<Reloaded<string>, "current" | "stop">> {
  if (path === "") return { current: () => "", stop: () => {} };
  const make = ([text = ""]: readonly string[]): string => {
    if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new Error(`${path} holds no certificate`);
    return text;
  };
  return await reloadedFiles({ paths: [path], make, clock, log }).catch((error: unknown) =>
    refuse(`--kubelet-certificate-authority: ${messageOf(error)}`),
  );
}
