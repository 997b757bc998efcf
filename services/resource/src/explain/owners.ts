import { type Owner, readManagers } from "@orch/patch/apply/managers.js";
import { type FieldSet, isMember } from "@orch/patch/fields/field-set.js";
import { type PathElement, self, showPathElement } from "@orch/patch/fields/path-element.js";
import { cut } from "@orch/status/cut.js";

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

/**
 * The fields whose owners a write changes; at most `most` of them. What cannot be read owns nothing. Linear in the entries: a path
 * is spelled out only where it is told.
 */
export function changedOwners(before: Entries | undefined, after: Entries, most: number): OwnedFields {
  const fields: OwnedField[] = [];
  let more = false;
  const tell = (path: readonly PathElement[], had: readonly ToldOwner[], has: readonly ToldOwner[]): void => {
    const lost = had.filter((one) => !has.some((other) => isSame(one, other)));
    const won = has.filter((one) => !had.some((other) => isSame(one, other)));
    if (lost.length === 0 && won.length === 0) return;
    more = fields.length === most;
    if (!more) fields.push({ path: pathText(path), outcome: outcomeOf({ had, has, lost }), before: had, after: has });
  };
  const walk = (path: readonly PathElement[], old: readonly Holding[], now: readonly Holding[]): void => {
    const elements = new Set([...now, ...old].flatMap(({ node }) => Object.keys(node)));
    for (const element of elements) {
      if (more) return;
      if (element === self) continue;
      const [oldBelow, nowBelow] = [below(old, element), below(now, element)];
      const deeper = [...path, element];
      tell(deeper, ownersOf(oldBelow), ownersOf(nowBelow));
      walk(deeper, oldBelow, nowBelow);
    }
  };
  walk([], holdingsOf(before), holdingsOf(after));
  return { fields, more };
}

/** What an owner has at a place and below. */
interface Holding {
  readonly owner: ToldOwner;
  readonly node: FieldSet;
}

function below(holdings: readonly Holding[], element: PathElement): readonly Holding[] {
  return holdings.flatMap(({ owner, node }) => {
    const inner = node[element];
    return inner === undefined ? [] : [{ owner, node: inner }];
  });
}

/** One who updates has an entry for each version. */
function ownersOf(holdings: readonly Holding[]): readonly ToldOwner[] {
  const owners: ToldOwner[] = [];
  for (const { owner, node } of holdings) {
    if (isMember(node) && !owners.some((other) => isSame(owner, other))) owners.push(owner);
  }
  return owners;
}

/** Characters of a step of a path, and of a path: names may be as long as an object. */
const longestStep = 200;
const longestPath = 500;

function pathText(path: readonly PathElement[]): string {
  let text = "";
  for (const element of path) {
    if (text.length > longestPath) break;
    text += cut(showPathElement(element), longestStep);
  }
  return cut(text, longestPath);
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

function holdingsOf(entries: Entries | undefined): readonly Holding[] {
  const read = readManagers(entries ?? []);
  if ("wrong" in read) return [];
  return [...read.managers.values()].map(({ manager, operation, subresource, set }) => ({
    owner: { manager, operation, ...(subresource === "" ? {} : { subresource }) },
    node: set,
  }));
}
