import { parseArgs } from "node:util";
import type { ApiResource } from "@orch/client/discovery.js";
import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { fieldsOf, itemsOf } from "../explain/explanation-text.js";
import {
  type ExplainWorld,
  inSession,
  printable,
  referenceOf,
  resourceNamed,
  type Session,
  sessionHelp,
  sessionOptions,
  Unusable,
} from "../explain/session.js";
import { type Found, finalizersOf, findOthers, ownersOf } from "./facts.js";
import { type Actor, knownActors } from "./finalizers.js";
import { type Deletion, whyNotDeleted } from "./reasons.js";
import { deletionText } from "./text.js";

const help = `usage:
  orch why-not-deleted [options] KIND/NAME   what an object that is being deleted waits for: its finalizers and who should act on
                                             each, what is left of what they wait for, grace periods, since when

options:
  -o, --output FORM    text or json (text)
${sessionHelp}

It ends with 0 if the object is gone or about to go, 1 if it waits or nobody has deleted it, 2 if it cannot be told.`;

export const whyNotDeletedFlags: readonly string[] = Object.keys(sessionOptions);

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: sessionOptions, allowPositionals: true });

/** Runs `orch why-not-deleted`; gives the exit status. */
export async function runWhyNotDeleted(args: readonly string[], world: ExplainWorld): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    if (values.help === true) {
      world.print(help);
      return 0;
    }
    const { output = "text" } = values;
    if (output !== "text" && output !== "json") throw new Unusable("--output: must be text or json");
    const told = await inSession({ values, world, agent: "orch-why-not-deleted" }, (session) =>
      answer(session, positionals, world.now()),
    );
    const isJson = output === "json";
    if (told === undefined) {
      world.print(isJson ? "null" : printable(`${positionals.join("/")} is not there`));
      return 0;
    }
    world.print(isJson ? JSON.stringify(told, undefined, 2) : deletionText(told));
    return told.state === "done" ? 0 : 1;
  } catch (error) {
    world.print(printable(`orch why-not-deleted: ${messageOf(error)}`));
    return 2;
  }
}

/** Undefined where there is no such object. @throws Unusable, ApiError */
async function answer(session: Session, words: readonly string[], now: number): Promise<Deletion | undefined> {
  const { word, name } = referenceOf(words);
  const resource = resourceNamed(session, word);
  const { namespaced, kind } = resource;
  const object = await getOrNone(session, resource, name, namespaced ? session.namespace : undefined);
  if (object === undefined) return undefined;
  const { naming } = session;
  if (object.metadata["deletionTimestamp"] === undefined)
    return whyNotDeleted({ naming, kind, object, found: {}, now });
  const finalizers = [...finalizersOf(object), ...itemsOf(fieldsOf(object["spec"])["finalizers"])];
  const actors = finalizers.flatMap((one) => knownActors(naming).get(String(one)) ?? []);
  const found: Partial<Record<Actor["looksAt"], Found>> = {};
  for (const { looksAt } of actors) found[looksAt] ??= await look(session, looksAt, object);
  return whyNotDeleted({ naming, kind, object, found, node: await nodeOf(session, resource, object), now });
}

async function getOrNone(
  { client }: Session,
  { group, version, resource }: ApiResource,
  name: string,
  namespace: string | undefined,
): Promise<ApiObject | undefined> {
  try {
    return await client.get({ group, version, resource, ...(namespace === undefined ? {} : { namespace }) }, name);
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

const nothing: Found = { others: [], unread: [] };

/** What an actor waits for. */
async function look(session: Session, at: Actor["looksAt"], object: ApiObject): Promise<Found> {
  const { uid, name = "", namespace = "" } = object.metadata;
  switch (at) {
    case "content":
      return findOthers(session, name, () => true);
    case "blockers":
      return findOthers(session, namespace, (other) =>
        ownersOf(other).some((owner) => owner.uid === uid && owner.blocks),
      );
    case "dependents":
      return findOthers(session, namespace, (other) => ownersOf(other).some((owner) => owner.uid === uid));
    case "pods":
      return podsUsing(session, namespace, name);
    case "instances": {
      const { group, names } = fieldsOf(object["spec"]);
      const plural = fieldsOf(names)["plural"];
      return findOthers(session, "", (_, of) => of.group === group && of.resource === plural);
    }
    case "nothing":
      return nothing;
  }
}

async function podsUsing({ client }: Session, namespace: string, claim: string): Promise<Found> {
  try {
    const { items } = await client.list({ group: "", version: "v1", resource: "pods", namespace });
    const using = items.filter((pod) =>
      itemsOf(fieldsOf(pod["spec"])["volumes"]).some(
        (volume) => fieldsOf(fieldsOf(volume)["persistentVolumeClaim"])["claimName"] === claim,
      ),
    );
    const others = using.map((pod) => ({
      ...{ kind: "Pod", name: pod.metadata.name ?? "", namespace, finalizers: finalizersOf(pod) },
      isGoing: pod.metadata["deletionTimestamp"] !== undefined,
    }));
    return { others, unread: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { others: [], unread: [`pods cannot be listed: ${error.message}`] };
  }
}

async function nodeOf(session: Session, { kind }: ApiResource, object: ApiObject): Promise<ApiObject | undefined> {
  const nodeName = fieldsOf(object["spec"])["nodeName"];
  const nodes = session.resources.find(({ group, resource }) => group === "" && resource === "nodes");
  if (kind !== "Pod" || typeof nodeName !== "string" || nodes === undefined) return undefined;
  return getOrNone(session, nodes, nodeName, undefined).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
}
