import { createSecureContext } from "node:tls";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { type Reloaded, reloadedFiles } from "@orch/runtime/tls-files.js";
import { messageOf } from "@orch/status/message-of.js";
import type { ClientPair } from "./upstream.js";

/** Of a client certificate: the flags that name its files. */
interface PairFlags<Flag extends string> {
  readonly certificate: Flag;
  readonly key: Flag;
}

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the start with a sentence about wrong flags or files. */
  readonly refuse: (problem: string) => never;
}

/** A client certificate, as its files have it now; the same value until they change, undefined where no files are named. */
export async function followPair<Flag extends string>(
  flags: PairFlags<Flag>,
  files: Readonly<Record<Flag, string>>,
  { clock, log, refuse }: Deps,
): Promise<Reloaded<ClientPair | undefined>> {
  const paths = [files[flags.certificate], files[flags.key]];
  const given = paths.filter((path) => path !== "");
  if (given.length === 0) return { current: () => undefined, onChange: () => () => {}, stop: () => {} };
  if (given.length === 1) return refuse(`--${flags.certificate} and --${flags.key} go together`);
  const make = ([cert = "", key = ""]: readonly string[]): ClientPair => {
    createSecureContext({ cert, key });
    return { cert, key };
  };
  return await reloadedFiles<ClientPair | undefined>({ paths, make, clock, log }).catch((error: unknown) =>
    refuse(`--${flags.certificate}: ${messageOf(error)}`),
  );
}
