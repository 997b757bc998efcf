import type { Access } from "./standalone.js";

export interface GreetingParts {
  /** Where the administrator's token lies. */
  readonly tokenFile: string;
  /** The pages for people are served. */
  readonly hasConsole: boolean;
}

/** What a person reads once the server is ready: where it is, and three lines to copy that work. */
export function greeting(access: Access, { tokenFile, hasConsole }: GreetingParts): string {
  const token = `$(cut -d, -f1 ${shellWord(tokenFile)})`;
  const curl = `curl --cacert ${shellWord(access.caFile)} -H "Authorization: Bearer ${token}"`;
  const body = `'{"metadata":{"name":"hello"},"data":{"greeting":"hi"}}'`;
  const maps = `${access.url}/api/v1/namespaces/default/configmaps`;
  return [
    `orch is ready at ${access.url}`,
    `client configuration: ${access.clientConfig}`,
    ...(hasConsole ? [`console: ${access.url}/console/`] : []),
    "",
    "try:",
    `  ${curl} ${access.url}/api/v1/namespaces`,
    `  ${curl} -H "Content-Type: application/json" -d ${body} ${maps}`,
    `  ${curl} -N "${maps}?watch=1"`,
    "",
  ].join("\n");
}

/** A path as one word of a shell, whatever is in it. */
function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
