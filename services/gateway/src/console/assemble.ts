import { fileURLToPath } from "node:url";
import { ConfigurationError } from "@orch/access/configuration.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Log } from "@orch/runtime/log.js";
import { siteFolder } from "@orch/service-console/site.js";
import type { ConsoleFlagValues } from "./flags.js";
import type { ConsoleOptions } from "./serve-console.js";

/** What is served below `/console/`; undefined where nothing is. @throws ConfigurationError */
export function consoleOptions(
  values: ConsoleFlagValues,
  { naming, log }: { readonly naming: Naming; readonly log: Log },
): ConsoleOptions | undefined {
  if (!values.console) return undefined;
  const oidc = oidcOf(values);
  const configuration = { dialect: naming.dialect, ...(oidc === undefined ? {} : { oidc }) };
  return { folder: fileURLToPath(siteFolder), configuration, log };
}

function oidcOf(values: ConsoleFlagValues): { readonly issuer: string; readonly clientId: string } | undefined {
  const [issuer, clientId] = [values["console-oidc-issuer"], values["console-oidc-client-id"]];
  if (issuer === "" && clientId === "") return undefined;
  if (issuer === "" || clientId === "")
    throw new ConfigurationError("--console-oidc-issuer and --console-oidc-client-id need each other");
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== "https:")
    throw new ConfigurationError(`--console-oidc-issuer: ${JSON.stringify(issuer)} is no https URL`);
  return { issuer, clientId };
}
