import type { ApiResource } from "@orch/client/discovery.js";
import { listAll } from "@orch/client/list-all.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { readTime } from "../moment.js";
import { collectionOf, listAt, type Named, readAt, titleOf } from "../past.js";
import { isColoured, type Run } from "../run.js";
import { hasHistory, nameOf, resourceOf } from "../server.js";
import { unified } from "../unified.js";
import { Unusable } from "../world.js";
import { perform } from "./perform.js";
import { type Pair, pairsOf, planOf, type Step, summaryOf, wantedOf } from "./plan.js";

/** What the server itself writes all the time, of what else is in the namespace. */
const left = new Set(["events", "leases", "endpoints", "endpointslices", "controllerrevisions"]);

/** `orch rollback --namespace=NS --to-time=TIME`; gives the exit code. */
export async function rollBackNamespace(run: Run): Promise<number> {
  const { values, words, server, world } = run;
  const { namespace, "dry-run": dryRun = false, "to-time": given = "" } = values;
  if (namespace === undefined) throw new Unusable("--to-time goes with --namespace: name the one to roll back");
  if (words.length > 0 || values.to !== undefined) throw new Unusable("--to-time is about all objects: name none");
  const colour = isColoured(run);
  const time = readTime("to-time", given, world.now());
  const resources = wanted(run);
  await checkNamespace(run, namespace, time);
  const pairs = await pairsAt(run, { resources, namespace, time });
  const steps = planOf(pairs);
  if (steps.length === 0) {
    world.print(`${namespace} is what it was at ${new Date(time).toISOString()}\n`);
    return 0;
  }
  const at = new Date(time).toISOString();
  world.print(steps.map((step) => differenceOf(step, { namespace, at, colour })).join(""));
  world.print(`\n${namespace} at ${at}: ${summaryOf(steps)}\n`);
  if (!dryRun && values.yes !== true && !(await isConfirmed(run))) {
    world.printError("nothing was done\n");
    return 1;
  }
  const onStep = (done: number): void => {
    if (world.isTerminal.output) world.printError(`\r${done} of ${steps.length}${done === steps.length ? "\n" : ""}`);
  };
  const failures = await perform(steps, { client: server.client, namespace, dryRun, onStep });
  for (const failure of failures) world.printError(`failed: ${failure}\n`);
  const done = steps.length - failures.length;
  world.print(`${done} of ${steps.length} ${dryRun ? "would be done" : "done"}\n`);
  return failures.length === 0 ? 0 : 1;
}

/** A namespace that was not there then had nothing in it: all would be deleted. @throws ApiError, Unusable */
async function checkNamespace({ server: { client, resources } }: Run, namespace: string, time: number): Promise<void> {
  const resource = resources.find((one) => one.group === "" && one.resource === "namespaces");
  if (resource === undefined) throw new Unusable("the server has no namespaces");
  const of: Named = { resource, namespace: "", name: namespace };
  await client.get(collectionOf(of), namespace);
  const at = new Date(time).toISOString();
  if (!hasHistory(resource)) return;
  try {
    await readAt(client, of, time);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "NotFound") throw error;
    throw new Unusable(`--to-time: the namespace ${namespace} was not there at ${at}`);
  }
}

/** @throws Unusable where there is nobody to ask */
async function isConfirmed({ world }: Run): Promise<boolean> {
  if (!world.isTerminal.input) throw new Unusable("--yes is needed: there is nobody to ask");
  return /^y(es)?$/i.test((await world.ask("do this? [y/N] ")).trim());
}

/** @throws Unusable */
function wanted({ values, server }: Run): readonly ApiResource[] {
  const named = (values.kinds ?? "").split(",").filter((kind) => kind !== "");
  const all = named.length === 0 ? server.resources : named.map((kind) => resourceOf(server, kind));
  const kept = all.filter((resource) => resource.namespaced && hasHistory(resource));
  const other = named.length === 0 ? undefined : all.find((resource) => !kept.includes(resource));
  if (other !== undefined) throw new Unusable(`--kinds: ${nameOf(other)} have no history in a namespace`);
  if (kept.length === 0) throw new Unusable("the server keeps no history (--object-history)");
  return named.length > 0 ? kept : kept.filter(({ resource }) => !left.has(resource));
}

interface Asked {
  readonly resources: readonly ApiResource[];
  readonly namespace: string;
  readonly time: number;
}

/**
 * Objects then and now. A plan is of everything or not made: of what cannot be read nobody knows whether it changed.
 * @throws Unusable
 */
async function pairsAt({ server }: Run, { resources, namespace, time }: Asked): Promise<readonly Pair[]> {
  const { client } = server;
  const pairs: Pair[] = [];
  const problems: string[] = [];
  for (const resource of resources) {
    try {
      const { items } = await listAll(client, collectionOf({ resource, namespace }));
      pairs.push(...pairsOf(resource, { before: await listAt(client, { resource, namespace }, time), after: items }));
    } catch (error) {
      problems.push(`${nameOf(resource)}: ${messageOf(error)}`);
    }
  }
  if (problems.length === 0) return pairs;
  throw new Unusable(`no plan can be made (--kinds leaves kinds out):\n  ${problems.join("\n  ")}`);
}

interface Shown {
  readonly namespace: string;
  readonly at: string;
  readonly colour: boolean;
}

const heads = { create: "bring back", change: "change back", delete: "delete" } as const;

function differenceOf(step: Step, { namespace, at, colour }: Shown): string {
  const { does, before, after } = step;
  const title = titleOf({ ...step, namespace });
  return `${heads[does]} ${title}\n${unified(
    { title: `${title} now`, object: after && wantedOf(after) },
    { title: `${title} at ${at}`, object: before && wantedOf(before) },
    { colour },
  )}`;
}
