import { readUsers } from "@orch/client/config.js";
import type { Credentials } from "@orch/client/credentials/credentials.js";

/** What webhooks are shown, by who they are: `host:port`, `host` for port 443, or a Service as `name.namespace.svc`. */
export type CredentialsOf = (host: string) => Credentials;

const nothing: Credentials = {};

/** Of the users of a client configuration file, named by hosts: one of that very name, `*.suffix`, then `*`. */
export async function webhookCredentials(path: string): Promise<CredentialsOf> {
  const users = await readUsers(path);
  return (host) => {
    for (const name of namesOf(host)) {
      const found = users.get(name);
      if (found !== undefined) return found;
    }
    return nothing;
  };
}

/** `a.b:8443`, `*.b:8443`, `a.b`, `*.b`, `*`. */
function* namesOf(host: string): Generator<string> {
  yield* withSuffixes(host);
  const colon = host.lastIndexOf(":");
  if (colon > 0 && !host.endsWith("]")) yield* withSuffixes(host.slice(0, colon));
  yield "*";
}

function* withSuffixes(host: string): Generator<string> {
  yield host;
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) yield `*${host.slice(dot)}`;
}
