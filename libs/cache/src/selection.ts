import type { Item } from "./change.js";
import type { Term } from "./indexes.js";
import { type Namespaces, namespaceOf } from "./namespaces.js";

/** Where a listing or a watch looks: everything, one namespace, several, or one key. */
export type Scope =
  | { readonly type: "all" }
  | { readonly type: "namespace"; readonly namespace: string }
  | { readonly type: "namespaces"; readonly namespaces: Namespaces }
  | { readonly type: "key"; readonly key: string };

/** Whether a key lies in a scope. */
export function inScope(scope: Scope, key: string): boolean {
  if (scope.type === "all") return true;
  if (scope.type === "namespaces") return scope.namespaces.has(namespaceOf(key));
  return scope.type === "key" ? key === scope.key : key.startsWith(`${scope.namespace}/`);
}

export interface Selection<I extends Item> {
  readonly scope: Scope;
  readonly matches?: (item: I) => boolean;
  /**
   * What `matches` asks for, as far as an index can tell: every item that matches fulfils all of them, or all terms of one of
   * the alternatives where there are several.
   */
  readonly terms?: readonly Term[];
  readonly alternatives?: readonly (readonly Term[])[];
  /** Only items behind this key. */
  readonly after?: string;
  readonly limit?: number;
}

export interface Selected<I extends Item> {
  readonly items: readonly I[];
  /** Whether the limit left items out. */
  readonly more: boolean;
}

/** The items of a collection as they are at one moment. */
export interface State<I extends Item> {
  get(key: string): I | undefined;
  /** Items of a scope in key order, those that `matches`; at most `limit`. */
  select(query: Selection<I>): Selected<I>;
  /** How many items a scope has. */
  count(scope: Scope): number;
}
