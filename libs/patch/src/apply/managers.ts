import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { type FieldSet, isEmpty } from "../fields/field-set.js";
import { readFieldSet } from "../fields/fields-v1.js";
import { compareTexts, printJson } from "../fields/go-text.js";

export type Operation = "Apply" | "Update";

/** What tells one entry of managedFields from another. */
export interface ManagerKey {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** An entry of managedFields, read (rules: ManagedFieldsEntry). */
export interface Owner extends ManagerKey {
  readonly time: string | undefined;
  /** In order. */
  readonly set: FieldSet;
  /** The entry that this was read from, while it says the same and is written as we write it. */
  readonly entry: JsonObject | undefined;
}

/** Owners by their identity. */
export type Managers = ReadonlyMap<string, Owner>;

export type ReadManagers = { readonly managers: Managers } | { readonly wrong: string };

/** One who applies has one entry whatever the version; one who updates has one for each version. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagerKey): string {
  const parts = [
    ...(manager === "" ? [] : [`"manager":${printJson(manager)}`]),
    `"operation":"${operation}"`,
    ...(operation === "Apply" ? [] : [`"apiVersion":${printJson(apiVersion)}`]),
    ...(subresource === "" ? [] : [`"subresource":${printJson(subresource)}`]),
  ];
  return `{${parts.join(",")}}`;
}

/** Reads managedFields; an entry that can not be read makes all of them unreadable. */
export function readManagers(entries: readonly unknown[]): ReadManagers {
  const managers = new Map<string, Owner>();
  for (const [i, entry] of entries.entries()) {
    const owner = readOwner(isObject(entry) ? entry : {}, i);
    if ("wrong" in owner) return owner;
    managers.set(managerId(owner), owner);
  }
  return { managers };
}

function readOwner(entry: JsonObject, i: number): Owner | { readonly wrong: string } {
  const { operation, apiVersion, fieldsType, fieldsV1 } = entry;
  if (operation !== "Apply" && operation !== "Update") return { wrong: "operation must be `Apply` or `Update`" };
  if (typeof apiVersion !== "string" || apiVersion === "") return { wrong: "apiVersion must not be empty" };
  if (fieldsType !== "FieldsV1") {
    const what = fieldsType === undefined || fieldsType === "" ? "missing fieldsType" : "invalid fieldsType";
    const which = what === "missing fieldsType" ? what : `${what} ${printJson(fieldsType)}`;
    return { wrong: `${which} in managed fields entry ${i}` };
  }
  const fields = readFieldSet(fieldsV1 ?? null);
  if ("wrong" in fields) {
    return { wrong: `error decoding versioned set in managed fields entry ${i}: error decoding set: ${fields.wrong}` };
  }
  return {
    manager: textOf(entry["manager"]),
    operation,
    apiVersion,
    subresource: textOf(entry["subresource"]),
    time: typeof entry["time"] === "string" ? entry["time"] : undefined,
    set: fields.set,
    entry: fields.set === fieldsV1 && isWrittenByUs(entry) ? entry : undefined,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const order: readonly string[] = [
  "manager",
  "operation",
  "apiVersion",
  "time",
  "fieldsType",
  "fieldsV1",
  "subresource",
];

/** Whether an entry has the fields that we write, in our order. */
function isWrittenByUs(entry: JsonObject): boolean {
  let at = -1;
  for (const name of Object.keys(entry)) {
    const next = order.indexOf(name);
    if (next <= at || entry[name] === "" || entry[name] === null) return false;
    at = next;
  }
  return true;
}

/** The owner with another set; itself if it is the same. */
export function withSet(owner: Owner, set: FieldSet): Owner {
  return set === owner.set ? owner : { ...owner, set, entry: undefined };
}

/** The owner with another time of its last change. */
export function at(owner: Owner, time: string): Owner {
  return time === owner.time ? owner : { ...owner, time, entry: undefined };
}

export function withoutEmpty(managers: Managers): Managers {
  return new Map([...managers].filter(([, owner]) => !isEmpty(owner.set)));
}

/**
 * The entries of these owners in the reference's order: by operation, time, manager, version, subresource. The entries
 * that they were read from where nothing changed, and `before` itself where no entry did.
 */
export function writeManagers(managers: Managers, before: readonly JsonObject[]): readonly JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  const owners = [...managers.values()].sort(compareOwners);
  const entries = owners.map((owner) => owner.entry ?? entryOf(owner));
  return entries.length === before.length && entries.every((entry, i) => entry === before[i]) ? before : entries;
}

const epoch = "1970-01-01T00:00:00Z";

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTexts(a.time ?? epoch, b.time ?? epoch) ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

/** An owner as it is stored. */
export function entryOf({ manager, operation, apiVersion, time, set, subresource }: Owner): JsonObject {
  const entry: Record<string, unknown> = {};
  if (manager !== "") entry["manager"] = manager;
  entry["operation"] = operation;
  entry["apiVersion"] = apiVersion;
  if (time !== undefined) entry["time"] = time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = set;
  if (subresource !== "") entry["subresource"] = subresource;
  return entry;
}
