import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Naming } from "@orch/naming/naming.js";
import type { ClientConfig } from "./config.js";
import { bearer } from "./credentials/credentials.js";
import type { CredentialTools } from "./credentials/exec-plugin.js";
import { fileCredentials, readTokenFile } from "./credentials/file-credentials.js";

/** Where a pod finds the token of its service account, the server's CA and its own namespace. */
export function serviceAccountFolder(naming: Naming): string {
  return `/var/run/secrets/${naming.key("serviceaccount")}`;
}

/**
 * How a process in a pod reaches the server of its cluster: as its service account, whose token is read again when it
 * has been replaced.
 * @throws Error that names the variable or the file that is missing
 */
export async function inClusterConfig(options: {
  readonly naming: Naming;
  readonly tools: Pick<CredentialTools, "clock" | "environment">;
  /** {@link serviceAccountFolder} */
  readonly folder: string;
}): Promise<ClientConfig> {
  const { naming, tools, folder } = options;
  const variable = (short: string): string => {
    const name = naming.environment(short);
    const value = tools.environment[name];
    if (value === undefined || value === "") throw new Error(`not in a cluster: ${name} is not set`);
    return value;
  };
  const host = variable("SERVICE_HOST");
  const port = variable("SERVICE_PORT");
  const tokenFile = join(folder, "token");
  // One after the other: of several that are missing always the same one is told.
  const token = await readTokenFile(tokenFile);
  const ca = await readFile(join(folder, "ca.crt"), "utf8");
  const namespace = await readFile(join(folder, "namespace"), "utf8").catch(() => "");
  const initial = { authorization: bearer(token) };
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim() || "default",
    insecureSkipTlsVerify: false,
    ca,
    token,
    credentials: fileCredentials({ token: tokenFile }, { initial, clock: tools.clock }),
  };
}
