import { readClientConfigs } from "@orch/client/config.js";
import type { Impersonation } from "@orch/client/credentials/impersonation.js";
import { type ApiResource, createDiscovery } from "@orch/client/discovery.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { isRecord } from "@orch/client/objects.js";
import { createNaming, type Dialect, dialects, type Naming } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";

/** What commands that ask a server have of their process. */
export interface ExplainWorld {
  /** `ORCHCONFIG` or `KUBECONFIG`; "" where the environment says nothing. */
  readonly orchconfig: string;
  print(text: string): void;
  /** A file's text, of standard input for `-`; its error says why there is none. */
  read(path: string): string;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A command line that cannot be carried out. */
export class Unusable extends Error {}

/** Options that all of them have, as `parseArgs` takes them. */
export const sessionOptions = {
  orchconfig: { type: "string" },
  namespace: { type: "string", short: "n" },
  "api-dialect": { type: "string" },
  as: { type: "string" },
  "as-group": { type: "string", multiple: true },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

export const sessionHelp = `  --orchconfig FILE    the client configuration (ORCHCONFIG, KUBECONFIG)
  -n, --namespace NAME the namespace (that of the configuration's context)
  --as NAME            as another user, --as-group as a member of a group; needs the right to impersonate
  --api-dialect NAME   orch or kubernetes (what the server speaks)`;

interface SessionValues {
  readonly orchconfig?: string | undefined;
  readonly namespace?: string | undefined;
  readonly "api-dialect"?: string | undefined;
  readonly as?: string | undefined;
  readonly "as-group"?: readonly string[] | undefined;
}

export interface Session {
  readonly client: Client;
  readonly naming: Naming;
  readonly namespace: string;
  /** Every resource once, in the version that the server prefers. */
  readonly resources: readonly ApiResource[];
  /** In every version. */
  readonly all: readonly ApiResource[];
}

/** Opens a connection for what `run` asks, and closes it. @throws Unusable, ApiError */
export async function inSession<T>(
  { values, world, agent }: { readonly values: SessionValues; readonly world: ExplainWorld; readonly agent: string },
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const paths = (values.orchconfig ?? world.orchconfig).split(":").filter((path) => path !== "");
  if (paths.length === 0) throw new Unusable("--orchconfig is needed, or ORCHCONFIG in the environment");
  const impersonate = impersonationOf(values);
  const config = await readClientConfigs(paths);
  const client = createClient(impersonate === undefined ? config : { ...config, impersonate }, { userAgent: agent });
  try {
    const naming = createNaming(dialectOf(values["api-dialect"]) ?? (await spokenDialect(client)));
    const { preferred, all } = await createDiscovery(client, naming).read();
    return await run({ client, naming, namespace: values.namespace ?? config.namespace, resources: preferred, all });
  } finally {
    await client.close();
  }
}

function impersonationOf({ as, "as-group": groups = [] }: SessionValues): Impersonation | undefined {
  if (as === undefined && groups.length > 0) throw new Unusable("--as-group needs --as");
  return as === undefined ? undefined : { user: as, groups };
}

function dialectOf(word: string | undefined): Dialect | undefined {
  if (word === undefined) return undefined;
  const dialect = dialects.find((each) => each === word);
  if (dialect === undefined) throw new Unusable(`--api-dialect: must be one of ${dialects.join(", ")}`);
  return dialect;
}

/** By the names of the server's groups. */
async function spokenDialect(client: Client): Promise<Dialect> {
  const { body } = await client.raw({ method: "GET", path: "/apis" });
  const list: unknown = readJson(body.toString("utf8"));
  const groups = isRecord(list) && Array.isArray(list["groups"]) ? list["groups"] : [];
  const authorization = createNaming("kubernetes").group("authorization");
  return groups.some((group: unknown) => isRecord(group) && group["name"] === authorization) ? "kubernetes" : "orch";
}

/** By plural, singular or kind, with the group behind a dot where that is said. @throws Unusable */
export function resourceNamed(session: Session, word: string): ApiResource {
  const found = findResource(session.resources, word);
  if (found === undefined) throw new Unusable(`the server has no resource ${JSON.stringify(word)}`);
  return found;
}

export function findResource(resources: readonly ApiResource[], word: string): ApiResource | undefined {
  const wanted = word.toLowerCase();
  return resources.find(({ group, resource, kind }) =>
    [resource, kind.toLowerCase(), shortNames.get(resource)].some(
      (name) => name !== undefined && (wanted === name || wanted === `${name}.${group}`),
    ),
  );
}

/** What people type; discovery tells others to clients that ask for them. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ pods: "po", services: "svc", configmaps: "cm", namespaces: "ns", nodes: "no" }),
  ...Object.entries({ deployments: "deploy", replicasets: "rs", statefulsets: "sts", daemonsets: "ds" }),
  ...Object.entries({ persistentvolumeclaims: "pvc", persistentvolumes: "pv", serviceaccounts: "sa" }),
  ...Object.entries({ customresourcedefinitions: "crd" }),
]);

/** `KIND/NAME`, or the two as words of their own. @throws Unusable */
export function referenceOf(words: readonly string[]): { readonly word: string; readonly name: string } {
  const [first = "", second, ...more] = words;
  const slash = first.indexOf("/");
  const [word, name] = second === undefined ? [first.slice(0, slash), first.slice(slash + 1)] : [first, second];
  if (word === undefined || word === "" || name === undefined || name === "" || more.length > 0) {
    throw new Unusable("write KIND/NAME");
  }
  return { word, name };
}

/** A text of somebody else for a terminal: without what it would take for a command. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
