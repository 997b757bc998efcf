import type { Naming } from "@orch/naming/naming.js";
import { listAt, numberAt, type Tree, textAt, treeAt } from "../json.js";

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** Above 0: shown only to who asks for more. */
  readonly priority: number;
  /** Which of a row's cells are its. */
  readonly position: number;
}

export interface Row {
  /** `namespace/name`, in whose order rows are. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly cells: readonly string[];
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds since 1970; NaN where it is unknown. */
  readonly created: number;
  readonly labels: Tree;
  /** What a search looks at, in lower case. */
  readonly text: string;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly resourceVersion: string;
  readonly next: string;
  readonly remaining: number;
}

/** The media type by which a server answers with rows. */
export function tableType(naming: Naming): string {
  return `application/json;as=Table;v=v1;g=${naming.metaGroup}`;
}

export function tableOf(document: unknown): Table {
  return {
    columns: listAt(document, "columnDefinitions").map((column, position) => ({
      position,
      name: textAt(column, "name"),
      type: textAt(column, "type"),
      description: textAt(column, "description"),
      priority: numberAt(column, "priority") ?? 0,
    })),
    rows: listAt(document, "rows").map(rowOf),
    resourceVersion: textAt(document, "metadata", "resourceVersion"),
    next: textAt(document, "metadata", "continue"),
    remaining: numberAt(document, "metadata", "remainingItemCount") ?? 0,
  };
}

function rowOf(row: unknown): Row {
  const metadata = treeAt(row, "object", "metadata");
  const [namespace, name] = [textAt(metadata, "namespace"), textAt(metadata, "name")];
  const cells = listAt(row, "cells").map(cellText);
  return {
    ...{ namespace, name, cells },
    key: `${namespace}/${name}`,
    uid: textAt(metadata, "uid"),
    resourceVersion: textAt(metadata, "resourceVersion"),
    created: Date.parse(textAt(metadata, "creationTimestamp")),
    labels: treeAt(metadata, "labels"),
    text: [namespace, ...cells].join(" ").toLowerCase(),
  };
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

/** One line of a watch that was asked for as a table. */
export type TableEvent =
  | { readonly type: "rows"; readonly change: "put" | "delete"; readonly rows: readonly Row[] }
  | { readonly type: "bookmark"; readonly resourceVersion: string }
  | { readonly type: "error"; readonly document: unknown };

export function tableEventOf(line: unknown): TableEvent {
  const type = textAt(line, "type");
  const document = treeAt(line, "object");
  if (type === "ERROR") return { type: "error", document };
  const table = tableOf(document);
  if (type !== "BOOKMARK") return { type: "rows", change: type === "DELETED" ? "delete" : "put", rows: table.rows };
  return { type: "bookmark", resourceVersion: table.rows[0]?.resourceVersion || table.resourceVersion };
}
