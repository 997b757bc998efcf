import assert from "node:assert/strict";
import { test } from "node:test";
import { valueAt } from "../object.js";
import { expectErrors, type Wanted } from "./error-rows.js";
import type { KindKit, Tree } from "./kind-kit.js";

/** Kind, what is odd about it, the tree, the errors. */
export type CreateRow = readonly [kind: string, what: string, tree: Tree, errors: readonly Wanted[]];

export function testCreates(kit: KindKit, rows: readonly CreateRow[]): void {
  for (const [kind, what, tree, expected] of rows) {
    expectErrors(`a new ${kind} ${what}`, expected, () => kit.createErrors(kind, tree));
  }
}

/** Kind, what is odd about it, the new tree, the one that was created before, the errors. */
export type UpdateRow = readonly [kind: string, what: string, tree: Tree, before: Tree, errors: readonly Wanted[]];

export function testUpdates(kit: KindKit, rows: readonly UpdateRow[]): void {
  for (const [kind, what, tree, before, expected] of rows) {
    expectErrors(`an update to a ${kind} ${what}`, expected, () => kit.updateErrors(kind, tree, before));
  }
}

/** Kind, what happens, the tree, a path, the value that stands there after a create. */
export type ValueRow = readonly [kind: string, what: string, tree: Tree, path: string, value: unknown];

export function testValues(kit: KindKit, rows: readonly ValueRow[]): void {
  for (const [kind, what, tree, path, expected] of rows) {
    test(`a new ${kind} ${what}`, () => assert.deepEqual(valueAt(kit.created(kind, tree), path), expected));
  }
}

/** `Kind/part`, what is odd about it, the tree written, the one that was created before, the errors. */
export type PartRow = readonly [kindAndPart: string, what: string, tree: Tree, before: Tree, errors: readonly Wanted[]];

export function testParts(kit: KindKit, rows: readonly PartRow[]): void {
  for (const [kindAndPart, what, tree, before, expected] of rows) {
    const slash = kindAndPart.lastIndexOf("/");
    const [kind, part] = [kindAndPart.slice(0, slash), kindAndPart.slice(slash + 1)];
    expectErrors(`the ${part} of a ${kind} ${what}`, expected, () => kit.partErrors(kind, part, { tree, before }));
  }
}
