import type { Dialect } from "@orch/naming/naming.js";
import { formatCheck, homogeneousCheck, literalChecks } from "./check/constants.js";
import type { Environment, StructDeclaration } from "./check/environment.js";
import { type Type, t } from "./check/types.js";
import type { CostTable } from "./compile/compile.js";
import { authorizer, authorizerSelectors } from "./libraries/authorizer.js";
import { bindings, twoVariableComprehensions } from "./libraries/comprehensions.js";
import { format } from "./libraries/format.js";
import { applyFields, constructPatch, isApplyType, jsonPatch, patchFields, patchType } from "./libraries/json-patch.js";
import type { Library, LibraryFunction } from "./libraries/library.js";
import { lists } from "./libraries/lists.js";
import { cidr, ip } from "./libraries/net.js";
import { optionals } from "./libraries/optionals.js";
import { quantity } from "./libraries/quantity.js";
import { regex } from "./libraries/regex.js";
import { semver } from "./libraries/semver.js";
import { sets } from "./libraries/sets.js";
import { standard } from "./libraries/standard.js";
import { stringsTwo, stringsZero } from "./libraries/strings.js";
import { urls } from "./libraries/urls.js";
import { constructWellKnown, wellKnownStruct } from "./libraries/well-known.js";
import { macroKey } from "./syntax/actions.js";
import type { Value } from "./values/value.js";

/** Libraries that only some environments have: device selectors, mutating policies. */
export type ExtraLibrary = "semver" | "bindings" | "jsonpatch";

export interface EnvironmentOptions {
  readonly dialect: Dialect;
  /**
   * The minor release (of 1) whose libraries new expressions may use. Undefined: all libraries, as for what is stored,
   * what configuration files hold and what runs.
   */
  readonly release?: number;
  /** Whether `fieldSelector` and `labelSelector` are served. */
  readonly selectors?: boolean;
  readonly extra?: readonly ExtraLibrary[];
  readonly variables?: ReadonlyMap<string, Type>;
  readonly structs?: ReadonlyMap<string, StructDeclaration>;
}

/** An environment and what its functions do and cost. */
export interface CelEnvironment {
  readonly check: Environment;
  readonly functions: ReadonlyMap<string, LibraryFunction>;
  readonly costs: CostTable;
  /** The first part of the names of the product's own types. */
  readonly domain: string;
  /** Makes the value of `Name{…}`; undefined where the type has none. */
  construct(name: string, fields: ReadonlyMap<string, Value>): Value | undefined;
}

/** What literals cost. */
const costTables: Readonly<Record<Dialect, CostTable>> = {
  orch: { list: 40, map: 30, struct: 40 },
  kubernetes: { list: 10, map: 30, struct: 40 },
};

/** The release that brought optional values, and comparisons of numbers across types. */
const release28 = 28;
/** The release that began to check constants. */
const release29 = 29;
const latest = Number.POSITIVE_INFINITY;

/** The product's own types begin with the dialect's word. */
const domainOf = (dialect: Dialect): string => dialect;

const baseLibraries = new Map<Dialect, readonly Library[]>();

function librariesOf(dialect: Dialect): readonly Library[] {
  const known = baseLibraries.get(dialect);
  if (known !== undefined) return known;
  const domain = domainOf(dialect);
  const made = [
    standard,
    urls(domain),
    regex,
    lists,
    stringsZero,
    stringsTwo,
    authorizer(domain),
    quantity(domain, { signMember: true }),
    optionals,
    sets,
    ip,
    cidr,
    format(domain),
    authorizerSelectors(domain),
    twoVariableComprehensions,
  ];
  baseLibraries.set(dialect, made);
  return made;
}

function extraLibrary(name: ExtraLibrary, domain: string): Library {
  switch (name) {
    case "semver":
      return semver(domain);
    case "bindings":
      return bindings;
    case "jsonpatch":
      return jsonPatch;
  }
}

export function createEnvironment(options: EnvironmentOptions): CelEnvironment {
  const { dialect, release = latest, selectors = true, extra = [] } = options;
  const domain = domainOf(dialect);
  const libraries = [
    ...librariesOf(dialect).filter(
      ({ name, since, until = latest }) =>
        since <= release && (release < until || until === latest) && (selectors || name !== "authzSelectors"),
    ),
    ...extra.map((name) => extraLibrary(name, domain)),
  ];
  const functions = mergeFunctions(libraries);
  const names = new Map(libraries.flatMap((library) => library.types ?? []).map((type) => [type.name, type]));
  const structs = options.structs ?? new Map<string, StructDeclaration>();
  const patches = extra.includes("jsonpatch");
  const check: Environment = {
    variables: options.variables ?? new Map(),
    type: (name) => {
      const known = names.get(name);
      if (known !== undefined) return { type: known.type, value: known.value };
      const isStruct = structs.has(name) || (patches && (name === patchType || isApplyType(name)));
      return isStruct ? { type: t.struct(name), value: undefined } : undefined;
    },
    functions,
    struct: (name) => structs.get(name) ?? wellKnownStruct(name) ?? (patches ? patchStruct(name) : undefined),
    macros: new Map(
      libraries.flatMap((library) => library.macros ?? []).map((m) => [macroKey(m.name, m.argCount, m.member), m]),
    ),
    optionals: release >= release28,
    hidden: release >= release28 ? new Set() : youngerOverloads(functions, release),
    checks: release >= release29 ? [homogeneousCheck, ...literalChecks, formatCheck] : [homogeneousCheck],
  };
  const construct = (name: string, fields: ReadonlyMap<string, Value>): Value | undefined => {
    const known = constructWellKnown(name, fields);
    return known === undefined && patches ? constructPatch(name, fields) : known;
  };
  return { check, functions, costs: costTables[dialect], domain, construct };
}

function patchStruct(name: string): StructDeclaration | undefined {
  if (name === patchType) return patchFields;
  return isApplyType(name) ? applyFields : undefined;
}

/** The same environment with other variables and types of objects. */
export function extendEnvironment(
  env: CelEnvironment,
  more: { readonly variables: ReadonlyMap<string, Type>; readonly structs?: ReadonlyMap<string, StructDeclaration> },
): CelEnvironment {
  const { structs = new Map<string, StructDeclaration>() } = more;
  const { check } = env;
  return {
    ...env,
    check: {
      ...check,
      variables: new Map([...check.variables, ...more.variables]),
      type: (name) => (structs.has(name) ? { type: t.struct(name), value: undefined } : check.type(name)),
      struct: (name) => structs.get(name) ?? check.struct(name),
    },
  };
}

/** Libraries add overloads to functions of others. */
function mergeFunctions(libraries: readonly Library[]): ReadonlyMap<string, LibraryFunction> {
  const merged = new Map<string, LibraryFunction>();
  for (const fn of libraries.flatMap((library) => library.functions)) {
    const known = merged.get(fn.name);
    merged.set(
      fn.name,
      known === undefined ? fn : { ...fn, ...known, overloads: [...known.overloads, ...fn.overloads] },
    );
  }
  return merged;
}

function youngerOverloads(functions: ReadonlyMap<string, LibraryFunction>, release: number): ReadonlySet<string> {
  const overloads = [...functions.values()].flatMap((fn) => fn.overloads);
  return new Set(overloads.filter(({ since = 0 }) => since > release).map(({ id }) => id));
}
