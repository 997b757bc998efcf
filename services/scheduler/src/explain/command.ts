import { parseArgs } from "node:util";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { type ApiObject, type Collection, isApiObject } from "@orch/client/objects.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming, type Dialect, dialects } from "@orch/naming/naming.js";
import { messageOf } from "@orch/status/message-of.js";
import { readScheduler } from "../configuration-file.js";
import { loadPlugins, profileProblem } from "../plugins.js";
import { explainPod } from "./explain-pod.js";
import { explanationText } from "./text.js";

const shared = `options:
  --orchconfig FILE         the client configuration of who may read what decisions depend on (ORCHCONFIG)
  -n, --namespace NAME      the pod's namespace (default)
  --scheduler-config FILE   the scheduler's configuration: profiles, plugins, their arguments
  --plugin FILE             plugins of your own; may be repeated
  --api-dialect NAME        orch or kubernetes (orch)
  -o, --output FORM         text or json (text)`;

const helps = {
  "explain-schedule": `usage:
  orch explain-schedule [options] pod/NAME   tells for a pod, waiting or on a node, which filter refuses it where, and how
                                             scores come about; changes nothing

${shared}`,
  schedule: `usage:
  orch schedule --dry-run [options] -f FILE  tells where the pod of a file would go; it is not made, and nothing is changed

${shared}
  -f, --filename FILE       a pod, YAML or JSON
  --dry-run                 needed: this command gives no pod a node`,
} as const;

const options = {
  orchconfig: { type: "string" },
  namespace: { type: "string", short: "n" },
  "scheduler-config": { type: "string" },
  plugin: { type: "string", multiple: true },
  "api-dialect": { type: "string" },
  output: { type: "string", short: "o" },
  filename: { type: "string", short: "f" },
  "dry-run": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export const explainFlags: readonly string[] = Object.keys(options);

export interface ExplainWorld {
  /** Of the environment; "" where it says nothing. */
  readonly orchconfig: string;
  print(text: string): void;
  /** A file's text; its error says why there is none. */
  read(path: string): string;
  /** Milliseconds since 1970. */
  now(): number;
}

const pods = (namespace: string): Collection => ({ group: "", version: "v1", resource: "pods", namespace });

class Unusable extends Error {}

/** Runs one of the two; gives the exit status: 0 if it was told, 2 if that cannot be done. */
export async function runExplain(
  word: keyof typeof helps,
  args: readonly string[],
  world: ExplainWorld,
): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    if (values.help === true) world.print(helps[word]);
    else await tell(word, { values, positionals }, world);
    return 0;
  } catch (error) {
    world.print(`orch ${word}: ${messageOf(error)}`);
    return 2;
  }
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true });

/** @throws Unusable */
async function tell(
  word: keyof typeof helps,
  { values, positionals }: Pick<ReturnType<typeof parse>, "values" | "positionals">,
  world: ExplainWorld,
): Promise<void> {
  const dialect = dialectOf(values["api-dialect"] ?? "orch");
  const output = values.output ?? "text";
  if (output !== "text" && output !== "json") throw new Unusable("--output: must be text or json");
  const naming = createNaming(dialect);
  const file = values["scheduler-config"] ?? "";
  const configuration = readScheduler(file === "" ? [] : [world.read(file)], naming);
  if (!configuration.ok) throw new Unusable(`--scheduler-config: ${configuration.problems.join("; ")}`);
  const { config } = configuration;
  const plugins = await loadPlugins(values.plugin ?? []);
  if (!plugins.ok) throw new Unusable(plugins.problem);
  const problem = profileProblem(config, naming, { more: plugins.registry, hasDevices: false });
  if (problem !== undefined) throw new Unusable(problem);
  const orchconfig = values.orchconfig ?? world.orchconfig;
  if (orchconfig === "") throw new Unusable("--orchconfig is needed, or ORCHCONFIG in the environment");
  const client = createClient(await readClientConfig(orchconfig), { userAgent: `orch-${word}` });
  try {
    const namespace = values.namespace ?? "default";
    const pod =
      word === "schedule"
        ? await draft(client, { file: values.filename ?? "", dryRun: values["dry-run"] === true, namespace, world })
        : await client.get(pods(namespace), podName(positionals));
    const deps = { client, naming, config, plugins: plugins.registry, now: world.now() };
    const explained = await explainPod(pod, deps);
    if (explained === undefined) throw new Unusable("no profile has the name of the pod's scheduler");
    world.print(output === "json" ? JSON.stringify(explained, undefined, 2) : explanationText(explained));
  } finally {
    await client.close();
  }
}

/** As the server would make it, defaults and admission included. @throws Unusable, ApiError */
async function draft(
  client: Client,
  given: { readonly file: string; readonly dryRun: boolean; readonly namespace: string; readonly world: ExplainWorld },
): Promise<ApiObject> {
  if (given.file === "") throw new Unusable("-f is needed: the file of a pod");
  if (!given.dryRun) throw new Unusable("--dry-run is needed: this command gives no pod a node");
  const decoded = parseYaml(Buffer.from(given.world.read(given.file)));
  if (!decoded.ok) throw new Unusable(`${given.file}: ${decoded.problem}`);
  const object: unknown = decoded.value;
  if (!isApiObject(object) || object.kind !== "Pod") throw new Unusable(`${given.file}: is no Pod`);
  return client.create(pods(object.metadata.namespace ?? given.namespace), object, { dryRun: true });
}

/** @throws Unusable */
function podName(positionals: readonly string[]): string {
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw new Unusable("one pod is needed: pod/NAME");
  const [kind = "", name] = given.split("/", 2);
  if (name === undefined) return kind;
  if (!["pod", "pods", "po"].includes(kind)) throw new Unusable(`${given} is no pod`);
  return name;
}

/** @throws Unusable */
function dialectOf(word: string): Dialect {
  const found = dialects.find((each) => each === word);
  if (found === undefined) throw new Unusable(`--api-dialect: must be one of ${dialects.join(", ")}`);
  return found;
}
