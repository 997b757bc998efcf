import { isObject, type JsonObject, type MessageType, type Type } from "@orch/schema/descriptor.js";
import { refuseTooDeep } from "../depth.js";
import { type Draft, draftOf, read, write, written } from "../draft.js";
import { malformedPatch } from "../malformed.js";
import { createPatchWork, type PatchWork } from "../work.js";
import { cleaned, cleanedList } from "./cleaned.js";
import { badRetainKeys, fieldDirective, patchDirective, retainKeysDirective } from "./directives.js";
import { goType } from "./go-text.js";
import {
  checkElementOrder,
  inElementOrder,
  itemsAre,
  type MergedList,
  mergeLists,
  type Objects,
  withoutItems,
} from "./lists.js";
import { list, unknownDirective, wrongType } from "./problems.js";
import { isAlwaysObject, listRule, objectRule, type Rule } from "./rules.js";

/** A parsed body as a strategic merge patch; null is an empty one. @throws ApiError BadRequest */
export function readStrategicMergePatch(tree: unknown): JsonObject {
  if (isObject(tree)) return tree;
  if (tree === null) return {};
  throw malformedPatch("object", tree);
}

/**
 * The document with a strategic merge patch in it (rules: Patch media types). Lists whose field says so are merged by
 * its merge key or as sets, and `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/<field>` and
 * `$setElementOrder/<field>` are obeyed, as in the reference with all that it is strange in.
 *
 * `document` is as decoding leaves it; the result holds what the patch says, unknown fields and values of wrong types
 * too, and wants decoding. Neither argument is written to, and what is not changed is shared.
 *
 * @throws ApiError BadRequest for directives of a wrong form and a patch nested too deep, Invalid for lists of lists,
 * InternalError (as in the reference) for whatever else can not be merged: items without a merge key, unknown `$patch`
 */
export function applyStrategicMergePatch(type: MessageType, document: JsonObject, patch: JsonObject): JsonObject {
  refuseTooDeep(patch);
  return mergeObjects(type, { original: document, patch, work: createPatchWork() });
}

function mergeObjects(type: Type, { original, patch, work }: Objects): JsonObject {
  if (Object.hasOwn(patch, patchDirective)) return replaced(patch);
  const draft = draftOf(original);
  retainKeys(draft, patch);
  const done = orderLists(type, draft, { patch, work });
  // Before the lists themselves, so that the outcome does not hang on the order of a patch's members.
  for (const name of Object.keys(patch)) {
    const directive = fieldDirective(name);
    if (directive?.directive === "$deleteFromPrimitiveList")
      deleteItems(type, draft, { field: directive.field, patch: patch[name], work });
  }
  for (const name of Object.keys(patch)) {
    if (name === retainKeysDirective || done.has(name) || fieldDirective(name) !== undefined) continue;
    write(draft, name, mergeValues(type, name, { original: read(draft, name), patch: patch[name], work }));
  }
  return written(draft);
}

/** What `$patch: replace` and `$patch: delete` leave of an object. */
function replaced(patch: JsonObject): JsonObject {
  switch (patch[patchDirective]) {
    case "replace": {
      const { [patchDirective]: _directive, ...rest } = patch;
      return rest;
    }
    case "delete":
      return {};
    default:
      throw unknownDirective(patch);
  }
}

/** Removes what `$retainKeys` does not name; all that the patch sets must be named. */
function retainKeys(draft: Draft, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return;
  const given = patch[retainKeysDirective];
  if (!Array.isArray(given)) throw badRetainKeys();
  const kept = new Set<unknown>(given);
  for (const name of Object.keys(patch)) {
    const says = name === retainKeysDirective || patch[name] === null || fieldDirective(name) !== undefined;
    if (!says && !kept.has(name)) throw badRetainKeys();
  }
  for (const name of Object.keys(draft.source)) if (!kept.has(name)) write(draft, name, undefined);
}

/** A member after the patch; undefined where there is none any more. */
function mergeValues(
  type: Type,
  name: string,
  { original, patch, work }: { readonly original: unknown; readonly patch: unknown; readonly work: PatchWork },
): unknown {
  if (patch === null) return undefined;
  if (isObject(patch)) {
    if (isObject(original)) return mergeObjectField(type, name, { original, patch, work });
    if (original === undefined && isAlwaysObject(type, name)) {
      return mergeObjectField(type, name, { original: {}, patch, work });
    }
  } else if (Array.isArray(patch) && Array.isArray(original)) {
    const rule = listRule(type, name);
    return rule.strategy === "merge"
      ? shared(original, mergeLists(rule, { original, patch, work }, mergeObjects).items)
      : patch;
  }
  return cleaned(patch, { keepsNulls: false });
}

function mergeObjectField(type: Type, name: string, objects: Objects): JsonObject {
  const rule = objectRule(type, name);
  return rule.strategy === "replace" ? objects.patch : mergeObjects(rule.type, objects);
}

function deleteItems(
  type: Type,
  draft: Draft,
  { field, patch, work }: { readonly field: string; readonly patch: unknown; readonly work: PatchWork },
): void {
  const original = read(draft, field);
  if (field === "" || original === undefined) return;
  // As in the reference: nothing to delete from a list is the list that is deleted.
  if (patch === null) write(draft, field, undefined);
  else if (Array.isArray(original) && Array.isArray(patch)) {
    write(draft, field, shared(original, withoutItems(listRule(type, field), { original, patch, work }, mergeObjects)));
  } else if (isObject(original) && isObject(patch)) {
    write(draft, field, mergeObjectField(type, field, { original, patch, work }));
  } else if (goType(original) === goType(patch)) write(draft, field, patch);
}

/** Merges the lists that a `$setElementOrder` is about, and sorts them. Gives the members of the patch this deals with. */
function orderLists(
  type: Type,
  draft: Draft,
  { patch, work }: { readonly patch: JsonObject; readonly work: PatchWork },
): ReadonlySet<string> {
  const done = new Set<string>();
  for (const name of Object.keys(patch)) {
    const about = fieldDirective(name);
    if (about?.directive !== "$setElementOrder") continue;
    const order = patch[name];
    if (!Array.isArray(order)) throw wrongType(list, order);
    const original = listOrAbsent(read(draft, about.field));
    const given = listOrAbsent(Object.hasOwn(patch, about.field) ? patch[about.field] : undefined);
    const rule = listRule(type, about.field);
    checkElementOrder(rule, given ?? [], order);
    const merged = mergedForOrder(rule, { original, patch: given, work });
    if (merged === undefined) continue;
    itemsAre(original ?? [], given ?? []);
    const items = inElementOrder(rule, merged, order);
    write(draft, about.field, original === undefined ? items : shared(original, items));
    done.add(about.field);
  }
  return done;
}

function listOrAbsent(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType(list, value);
}

function mergedForOrder(
  rule: Rule,
  {
    original,
    patch,
    work,
  }: { readonly [side in "original" | "patch"]: readonly unknown[] | undefined } & {
    readonly work: PatchWork;
  },
): MergedList | undefined {
  if (patch === undefined) return original === undefined ? undefined : { items: original, server: original };
  if (original === undefined) return { items: cleanedList(patch, { keepsNulls: true }), server: [] };
  return rule.strategy === "merge"
    ? mergeLists(rule, { original, patch, work }, mergeObjects)
    : { items: patch, server: original };
}

/** The original where a list is that again. */
function shared(original: readonly unknown[], items: readonly unknown[]): readonly unknown[] {
  return items.length === original.length && items.every((item, i) => item === original[i]) ? original : items;
}
