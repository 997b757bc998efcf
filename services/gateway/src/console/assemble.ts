import { fileURLToPath } from "node:url";
import type { Naming } from "@orch/naming/naming.js";
import type { Log } from "@orch/runtime/log.js";
import { siteFolder } from "@orch/service-console/site.js";
import type { ConsoleFlagValues } from "./flags.js";
import type { ConsoleOptions } from "./serve-console.js";
import { signInProvider } from "./sign-in.js";

/** What is served below `/console/`; undefined where nothing is. @throws ConfigurationError */
export function consoleOptions(
  values: ConsoleFlagValues,
  { naming, log }: { readonly naming: Naming; readonly log: Log },
): ConsoleOptions | undefined {
  const oidc = signInProvider(values);
  if (!values.console) return undefined;
  const configuration = { dialect: naming.dialect, ...(oidc === undefined ? {} : { oidc }) };
  return { folder: fileURLToPath(siteFolder), configuration, log };
}
