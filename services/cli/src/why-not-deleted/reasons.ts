import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { fieldsOf, itemsOf } from "../explain/explanation-text.js";
import { type Found, finalizersOf, type Other, type Owner, ownersOf } from "./facts.js";
import { type Actor, knownActors } from "./finalizers.js";

/** What an object that goes waits for. */
export interface Waiting {
  readonly finalizer: string;
  readonly who: string;
  readonly waitsFor: string;
  /** What of it is there still. */
  readonly left: readonly Other[];
  readonly moreLeft: number;
}

export interface Deletion {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly state: "notDeleted" | "graceful" | "waiting" | "done";
  /** When it was asked for; RFC 3339. */
  readonly since?: string;
  readonly seconds?: number;
  readonly waiting: readonly Waiting[];
  readonly owners: readonly Owner[];
  /** Further facts, a sentence each. */
  readonly notes: readonly string[];
}

export interface DeletionFacts {
  readonly naming: Naming;
  readonly kind: string;
  readonly object: ApiObject;
  /** What actors look at; absent where nothing was looked for. */
  readonly found: Partial<Record<Actor["looksAt"], Found>>;
  /** Of a pod. */
  readonly node?: ApiObject | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const mostLeft = 20;

/** Why an object is still there after somebody has deleted it. */
export function whyNotDeleted(facts: DeletionFacts): Deletion {
  const { kind, object, now } = facts;
  const { name = "", namespace = "", deletionTimestamp } = object.metadata;
  const owners = ownersOf(object);
  const head = { kind, name, namespace, owners };
  if (typeof deletionTimestamp !== "string") {
    return { ...head, state: "notDeleted", waiting: [], notes: keptNotes(facts) };
  }
  const grace = Number(object.metadata["deletionGracePeriodSeconds"] ?? 0);
  const since = Date.parse(deletionTimestamp) - grace * 1000;
  const waiting = [...finalizersOf(object), ...specFinalizers(object)].map((one) => waitingFor(one, facts));
  const isGraceful = waiting.length === 0 && grace > 0;
  return {
    ...{ ...head, state: isGraceful ? "graceful" : waiting.length === 0 ? "done" : "waiting", waiting },
    ...{ since: new Date(since).toISOString(), seconds: Math.max(0, Math.round((now - since) / 1000)) },
    notes: [...graceNotes(facts, grace), ...conditionNotes(object), ...unreadNotes(facts)],
  };
}

function keptNotes({ object }: DeletionFacts): readonly string[] {
  const some = finalizersOf(object);
  const asked = "nobody has deleted it: it has no deletionTimestamp";
  return some.length === 0 ? [asked] : [asked, `once somebody does, it will wait for ${some.join(", ")}`];
}

/** Those of a namespace stand in its spec. */
function specFinalizers(object: ApiObject): readonly string[] {
  const { kind } = object;
  return kind === "Namespace" ? itemsOf(fieldsOf(object["spec"])["finalizers"]).map(String) : [];
}

function waitingFor(finalizer: string, { naming, object, found }: DeletionFacts): Waiting {
  const actor = knownActors(naming).get(finalizer);
  if (actor === undefined) {
    const { manager, time } = setBy(object, finalizer);
    const who =
      manager === undefined
        ? "whoever has set it"
        : `${manager}, who has set it${time === undefined ? "" : ` at ${time}`}`;
    return { finalizer, who, waitsFor: "its own work is done", left: [], moreLeft: 0 };
  }
  const left = found[actor.looksAt]?.others ?? [];
  return {
    ...{ finalizer, who: actor.who, waitsFor: actor.waitsFor },
    ...{ left: left.slice(0, mostLeft), moreLeft: Math.max(0, left.length - mostLeft) },
  };
}

/** The manager in whose fields a finalizer is. */
function setBy({ metadata }: ApiObject, finalizer: string): { readonly manager?: string; readonly time?: string } {
  const element = `v:${JSON.stringify(finalizer)}`;
  for (const entry of itemsOf(metadata["managedFields"])) {
    const { manager, time, fieldsV1 } = fieldsOf(entry);
    const owned = fieldsOf(fieldsOf(fieldsOf(fieldsV1)["f:metadata"])["f:finalizers"]);
    if (!(element in owned) || typeof manager !== "string") continue;
    return { manager, ...(typeof time === "string" ? { time } : {}) };
  }
  return {};
}

function graceNotes({ kind, object, node, now }: DeletionFacts, grace: number): readonly string[] {
  const by = Date.parse(String(object.metadata["deletionTimestamp"]));
  if (kind !== "Pod") return grace > 0 ? [`it has ${grace} seconds, until ${new Date(by).toISOString()}`] : [];
  const nodeName = fieldsOf(object["spec"])["nodeName"];
  if (typeof nodeName !== "string" || nodeName === "") return ["it has no node: nobody has to stop it"];
  const late = now > by ? `, which was ${Math.round((now - by) / 1000)} seconds ago` : "";
  return [
    `the agent of node ${nodeName} stops it and then takes it away; it has ${grace} seconds for that, until ${new Date(by).toISOString()}${late}`,
    nodeNote(nodeName, node),
  ];
}

function nodeNote(name: string, node: ApiObject | undefined): string {
  if (node === undefined)
    return `node ${name} is not there, or you may not get it: the pod collector takes pods of missing nodes away`;
  const conditions = itemsOf(fieldsOf(node["status"])["conditions"]).map(fieldsOf);
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return `node ${name} does not say whether it is ready`;
  const { status, lastTransitionTime } = ready;
  return status === "True"
    ? `node ${name} is ready`
    : `node ${name} is not ready since ${String(lastTransitionTime)}: its agent may not hear of the deletion`;
}

/** What the namespace controller has said. */
function conditionNotes(object: ApiObject): readonly string[] {
  if (object.kind !== "Namespace") return [];
  return itemsOf(fieldsOf(object["status"])["conditions"]).flatMap((condition): readonly string[] => {
    const { type, status, message, lastTransitionTime } = fieldsOf(condition);
    return status === "True" ? [`${String(type)} since ${String(lastTransitionTime)}: ${String(message)}`] : [];
  });
}

function unreadNotes({ found }: DeletionFacts): readonly string[] {
  return Object.values(found).flatMap(({ unread }) => unread);
}
