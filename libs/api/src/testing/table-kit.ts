import assert from "node:assert/strict";
import { isObject } from "@orch/schema/descriptor.js";
import type { Catalog, Kind } from "../catalog.js";
import { cellsAt, type Row } from "../table/row-text.js";
import { decodeObject } from "../writes.js";
import { createKindKit, type Tree } from "./kind-kit.js";

/** Tests of tables stand here in time. */
export const testNow = Date.parse("2026-01-02T03:04:05Z");

/** A time as objects have it, so many seconds before {@link testNow}. */
export function ago(seconds: number): string {
  return `${new Date(testNow - seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export interface TableKit {
  kind(name: string): Kind;
  /** Of a tree that the kind's type knows; metadata gets the name `x` and was created 5 minutes ago. */
  row(kind: string, tree: Tree): Row;
  cells(kind: string, tree: Tree): readonly unknown[];
}

export function createTableKit(catalog: Catalog): TableKit {
  const { kind } = createKindKit(catalog);
  const row = (name: string, tree: Tree): Row => {
    const given = isObject(tree["metadata"]) ? tree["metadata"] : {};
    const metadata = { name: "x", creationTimestamp: ago(300), ...given };
    const { object, unknown } = decodeObject(kind(name), { ...tree, metadata });
    assert.deepEqual(unknown, [], "the test's own tree has unknown fields");
    return kind(name).table.row(object);
  };
  return { kind, row, cells: (name, tree) => cellsAt(row(name, tree), testNow) };
}
