import type { Wanted } from "./translate.js";

/** What the launcher has made or found where no flag names it. */
export interface Surroundings {
  /** A folder that lasts as long as the process. */
  readonly folder: string;
  readonly certificate: string;
  readonly certificateKey: string;
  /** Signs the tokens of service accounts. */
  readonly accountKey: string;
}

/** Values that a server of tests has where its command line does not say otherwise. */
export function withDefaults({ argv, given }: Wanted, around: Surroundings): readonly string[] {
  const defaults: Readonly<Record<string, string>> = {
    "data-dir": around.folder,
    "api-dialect": "kubernetes",
    "store-in-memory": "true",
    "own-pki": "false",
    // As the reference, whose controllers are another program.
    controllers: "",
    "shutdown-grace-duration": "20ms",
    "tls-cert-file": around.certificate,
    "tls-private-key-file": around.certificateKey,
    "service-account-signing-key-file": around.accountKey,
    "service-account-key-file": around.accountKey,
  };
  const missing = Object.entries(defaults).filter(([name]) => !given.has(name));
  return [...missing.map(([name, value]) => `--${name}=${value}`), ...argv];
}
