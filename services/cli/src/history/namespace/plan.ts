import { isDeepStrictEqual } from "node:util";
import type { ApiResource } from "@orch/client/discovery.js";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { historyKey } from "@orch/naming/naming.js";

/** An object then and now, of which at least one is there. */
export interface Pair {
  readonly resource: ApiResource;
  readonly name: string;
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
}

/** What has to be done for an object to be what it was. */
export type Step = Pair & { readonly does: "create" | "change" | "delete" };

/** Objects in the order in which those of a later kind may need those of an earlier one; others come behind. */
const first = [
  "serviceaccounts",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "roles",
  "rolebindings",
  "services",
];

/**
 * The steps by which a namespace becomes what it was: what is brought back and changed first, what others need before them; then
 * what is deleted, the other way round.
 */
export function planOf(pairs: readonly Pair[]): readonly Step[] {
  const steps = pairs.flatMap((pair): Step[] => {
    const does = isMade(pair.after ?? pair.before) ? undefined : needed(pair);
    return does === undefined ? [] : [{ ...pair, does }];
  });
  const place = ({ resource }: Step): number => {
    const at = first.indexOf(resource.resource);
    return at < 0 ? first.length : at;
  };
  const kept = steps.filter(({ does }) => does !== "delete").sort((a, b) => place(a) - place(b));
  const gone = steps.filter(({ does }) => does === "delete").sort((a, b) => place(b) - place(a));
  return [...kept, ...gone];
}

/** The objects of one resource, then and now. */
export function pairsOf(
  resource: ApiResource,
  lists: { readonly before: readonly ApiObject[]; readonly after: readonly ApiObject[] },
): readonly Pair[] {
  const before = new Map(lists.before.map((object) => [object.metadata.name ?? "", object]));
  const after = new Map(lists.after.map((object) => [object.metadata.name ?? "", object]));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.map((name) => ({ resource, name, before: before.get(name), after: after.get(name) }));
}

function needed({ before, after }: Pair): Step["does"] | undefined {
  if (after?.metadata["deletionTimestamp"] !== undefined) return undefined;
  if (before === undefined) return after === undefined ? undefined : "delete";
  if (before.metadata["deletionTimestamp"] !== undefined) return undefined;
  if (after === undefined) return "create";
  return isDeepStrictEqual(wantedOf(before), wantedOf(after)) ? undefined : "change";
}

/** What a controller made for another object follows from that one. */
function isMade(object: ApiObject | undefined): boolean {
  const owners = object?.metadata["ownerReferences"];
  return Array.isArray(owners) && owners.some((owner) => isRecord(owner) && owner["controller"] === true);
}

/** What a rollback writes of an object: all but its status and what the server says of it. */
export function wantedOf({ metadata, status: _status, ...rest }: ApiObject): Record<string, unknown> {
  const { labels, annotations = {} } = metadata;
  const { [undeletedFrom]: _undeleted, ...notes } = annotations;
  const own = { ...(labels && { labels }), ...(Object.keys(notes).length > 0 && { annotations: notes }) };
  const parts = Object.entries(rest).map(([name, value]) => [name, withoutNulls(value)]);
  return { ...Object.fromEntries(parts), ...(Object.keys(own).length > 0 && { metadata: own }) };
}

/** How an object came back is no part of what it was. */
const undeletedFrom = historyKey("undeleted-uid");

/** A null is as good as a field that is not there. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutNulls(inner)]));
}

/** `2 brought back, 1 changed back, 3 deleted`. */
export function summaryOf(steps: readonly Step[]): string {
  const words = { create: "brought back", change: "changed back", delete: "deleted" } as const;
  const parts = (["create", "change", "delete"] as const).flatMap((does) => {
    const count = steps.filter((step) => step.does === does).length;
    return count === 0 ? [] : [`${count} ${words[does]}`];
  });
  return parts.join(", ");
}
