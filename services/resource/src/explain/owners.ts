import { type Owner, readManagers } from "@orch/patch/apply/managers.js";
import { paths } from "@orch/patch/fields/field-set.js";
import { showPathElement } from "@orch/patch/fields/path-element.js";

/** An entry of managedFields by what tells it from others. */
interface ToldOwner {
  readonly manager: string;
  readonly operation: Owner["operation"];
  readonly subresource?: string;
}

export interface OwnedField {
  /** `.spec.containers[name="web"].image` */
  readonly path: string;
  /**
   * `taken`: others owned it and do not any more; `shared`: others own it, too; `new`: nobody did; `released`: others go on owning
   * it; `gone`: nobody does.
   */
  readonly outcome: "taken" | "shared" | "new" | "released" | "gone";
  readonly before: readonly ToldOwner[];
  readonly after: readonly ToldOwner[];
}

export interface OwnedFields {
  readonly fields: readonly OwnedField[];
  /** There are more than are told. */
  readonly more: boolean;
}

/** The managedFields of an object. */
type Entries = readonly unknown[];

/** The fields whose owners a write changes; at most `most` of them. What cannot be read owns nothing. */
export function changedOwners(before: Entries | undefined, after: Entries, most: number): OwnedFields {
  const old = ownersByPath(before);
  const now = ownersByPath(after);
  const fields: OwnedField[] = [];
  for (const path of new Set([...now.keys(), ...old.keys()])) {
    const [had, has] = [old.get(path) ?? [], now.get(path) ?? []];
    const lost = had.filter((one) => !has.some((other) => isSame(one, other)));
    const won = has.filter((one) => !had.some((other) => isSame(one, other)));
    if (lost.length === 0 && won.length === 0) continue;
    if (fields.length === most) return { fields, more: true };
    fields.push({ path, outcome: outcomeOf({ had, has, lost }), before: had, after: has });
  }
  return { fields, more: false };
}

interface Change {
  readonly had: readonly ToldOwner[];
  readonly has: readonly ToldOwner[];
  readonly lost: readonly ToldOwner[];
}

function outcomeOf({ had, has, lost }: Change): OwnedField["outcome"] {
  if (had.length === 0) return "new";
  if (has.length === 0) return "gone";
  if (lost.length === 0) return "shared";
  return has.length + lost.length === had.length ? "released" : "taken";
}

function isSame(a: ToldOwner, b: ToldOwner): boolean {
  return a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;
}

function ownersByPath(entries: Entries | undefined): ReadonlyMap<string, readonly ToldOwner[]> {
  const found = new Map<string, ToldOwner[]>();
  const read = readManagers(entries ?? []);
  if ("wrong" in read) return found;
  for (const { manager, operation, subresource, set } of read.managers.values()) {
    const owner = { manager, operation, ...(subresource === "" ? {} : { subresource }) };
    for (const path of paths(set)) {
      const text = path.map(showPathElement).join("");
      const owners = found.get(text);
      if (owners === undefined) found.set(text, [owner]);
      // One who updates has an entry for each version.
      else if (!owners.some((other) => isSame(owner, other))) owners.push(owner);
    }
  }
  return found;
}
