import type { Expr } from "../syntax/ast.js";
import type { Macro } from "../syntax/macros.js";
import type { Value } from "../values/value.js";
import type { Type } from "./types.js";

/** One signature of a function. The receiver of a member is its first argument. */
export interface Overload {
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** The fields of one type of objects; undefined for types whose fields no expression may name. */
export interface StructDeclaration {
  field(name: string): Type | undefined;
}

export interface NamedType {
  readonly type: Type;
  readonly value: Value | undefined;
}

/** What an expression may name. Data: one environment serves any number of expressions. */
export interface Environment {
  /** Names may be dotted. */
  readonly variables: ReadonlyMap<string, Type>;
  /** Names of types, which are values themselves. The value is undefined where a type has a name but no value. */
  type(name: string): NamedType | undefined;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** The fields of the objects of a type. */
  struct(name: string): StructDeclaration | undefined;
  readonly macros: ReadonlyMap<string, Macro>;
  /** Optional selections, indexes, elements and entries may be written. */
  readonly optionals: boolean;
  /** Overloads that only stored expressions may use. */
  readonly hidden: ReadonlySet<string>;
  /** Looked at after the types: what constants are refused. */
  readonly checks: readonly ConstantCheck[];
}

export interface Finding {
  readonly at: number;
  readonly message: string;
}

/** Finds what is wrong with the constants of a checked expression. */
export type ConstantCheck = (e: Expr, typeOf: (e: Expr) => Type) => readonly Finding[];
