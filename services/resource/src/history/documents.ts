import { type Difference, differenceOf } from "@orch/history/difference.js";
import type { ObjectState, ObjectStates } from "@orch/history/states.js";
import { historyGroup } from "@orch/naming/naming.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { readJson } from "@orch/status/read-json.js";
import type { Write } from "../write/write.js";

export const apiVersion = `${historyGroup}/v1alpha1`;

/** How much of an object's past is read to tell what changed in it. */
const mostParsedBytes = 4 << 20;
const mostFields = 50;
const mostChanges = 1000;

export function jsonReply(document: object): WriteReply {
  return { code: 200, body: Buffer.from(`${JSON.stringify(document)}\n`), warnings: [] };
}

/** The states of an object, newest first. */
export async function historyDocument(write: Write, states: ObjectStates): Promise<object> {
  return {
    ...headOf(write, "ObjectHistory"),
    items: await itemsOf(states),
  };
}

/** What differs between two states, of which either may be no object. */
export function differenceDocument(
  write: Write,
  { from, to }: { readonly from: ObjectState; readonly to: ObjectState },
): object {
  const { changes, more } = differenceOf(parsed(from.value) ?? {}, parsed(to.value) ?? {}, mostChanges);
  return {
    ...headOf(write, "ObjectDifference"),
    ...{ from: String(from.revision), to: String(to.revision), changes },
    ...(more ? { more } : {}),
  };
}

function headOf({ request: { name, namespace } }: Write, kind: string): object {
  return { kind, apiVersion, metadata: { name, ...(namespace === "" ? {} : { namespace }) } };
}

async function itemsOf(states: ObjectStates): Promise<readonly object[]> {
  const items: object[] = [];
  let parsedBytes = 0;
  let newer: { readonly state: Told; readonly tree: unknown } | undefined;
  const tell = (difference: Difference | undefined): void => {
    if (newer !== undefined) items.push(itemOf(newer.state, difference));
  };
  for (const state of states) {
    parsedBytes += state.value?.length ?? 0;
    const tree = parsedBytes <= mostParsedBytes ? parsed(state.value) : undefined;
    tell(newer?.tree === undefined || tree === undefined ? undefined : differenceOf(tree, newer.tree, mostFields));
    const { value, ...told } = state;
    newer = { state: { ...told, restorable: value !== undefined }, tree };
    // Others are not to wait for a long history.
    await new Promise((resolve) => setImmediate(resolve));
  }
  tell(undefined);
  return items;
}

/** A state without what it was: those of a long history together are large. */
type Told = Omit<ObjectState, "value"> & { readonly restorable: boolean };

function itemOf({ revision, author, change, restorable }: Told, difference: Difference | undefined): object {
  return {
    revision: String(revision),
    ...(author === undefined ? {} : authorOf(author)),
    ...(change === undefined ? {} : { change }),
    ...(difference === undefined || change !== "changed" ? {} : fieldsOf(difference)),
    // Where it is not, neither a diff nor a rollback can be had of it.
    restorable,
  };
}

function fieldsOf({ changes, more }: Difference): object {
  return { fields: changes.map(({ path }) => path), ...(more ? { moreFields: true } : {}) };
}

export function authorOf(author: NonNullable<ObjectState["author"]>): object {
  const { time, verb, subresource, user, manager, userAgent, auditId } = author;
  return {
    time: new Date(time).toISOString(),
    verb,
    ...(subresource === "" ? {} : { subresource }),
    user,
    ...(manager === "" ? {} : { manager }),
    ...(userAgent === "" ? {} : { userAgent }),
    ...(auditId === "" ? {} : { auditID: auditId }),
  };
}

export function parsed(value: Buffer | undefined): unknown {
  return value === undefined ? undefined : readJson(value.toString("utf8"));
}
