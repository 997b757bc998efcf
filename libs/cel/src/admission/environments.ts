import type { Dialect } from "@orch/naming/naming.js";
import type { StructDeclaration } from "../check/environment.js";
import { type Type, t } from "../check/types.js";
import { type CelEnvironment, type ExtraLibrary, extendEnvironment } from "../environment.js";
import { admissionEnvironment } from "../kinds.js";

export interface EnvironmentsOptions {
  readonly dialect: Dialect;
  /** `1.32`, the one that the server is or emulates: what is new must be readable by the one before it. */
  readonly release: string;
  /** Whether the policy has parameters. */
  readonly params: boolean;
  /** Libraries of the kind of policy. */
  readonly extra?: readonly ExtraLibrary[];
  /** Whether a text was there before: it may use every library. */
  readonly isStored: (text: string) => boolean;
}

/** Where the expressions of one policy are compiled. */
export interface PolicyEnvironments {
  /** What an expression may name: everything, or all but who may do what. */
  of(text: string, names: { readonly authorizer: boolean }): CelEnvironment;
  /** Declares a variable: what is compiled from now on may name it. */
  declare(name: string, type: Type): void;
}

const bases = new Map<string, CelEnvironment>();

function baseOf(options: EnvironmentsOptions, release: number | undefined, authorizer: boolean): CelEnvironment {
  const { dialect, params, extra = [] } = options;
  const key = [dialect, release ?? "all", params, authorizer, ...extra].join(" ");
  const known =
    bases.get(key) ??
    admissionEnvironment(dialect, { params, authorizer, extra, ...(release !== undefined && { release }) });
  bases.set(key, known);
  return known;
}

/** `withVariables`: match conditions are looked at before there are any. */
export function policyEnvironments(options: EnvironmentsOptions, withVariables: boolean): PolicyEnvironments {
  const { dialect, release, isStored } = options;
  const types = new Map<string, Type>();
  const name = `${dialect}.variables`;
  const structs = new Map<string, StructDeclaration>([[name, { field: (field) => types.get(field) }]]);
  const variables = new Map([["variables", t.struct(name)]]);
  const fresh = Number(release.split(".")[1]) - 1;
  return {
    of(text, { authorizer }) {
      const base = baseOf(options, isStored(text) ? undefined : fresh, authorizer);
      return withVariables ? extendEnvironment(base, { variables, structs }) : base;
    },
    declare: (variable, type) => void types.set(variable, type),
  };
}
