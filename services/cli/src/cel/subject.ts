import { type Type, t } from "@orch/cel/check/types.js";
import type { Range } from "@orch/cel/cost/sizes.js";
import { type CelEnvironment, createEnvironment } from "@orch/cel/environment.js";
import { declareSchema } from "@orch/cel/schema/declare.js";
import { dynamicValue } from "@orch/cel/schema/dynamic.js";
import { schemaValue } from "@orch/cel/schema/values.js";
import { type SchemaView, withObjectMeta } from "@orch/cel/schema/view.js";
import type { Value } from "@orch/cel/values/value.js";
import type { Dialect } from "@orch/naming/naming.js";
import { Unusable } from "./world.js";

export interface SubjectOptions {
  readonly dialect: Dialect;
  /** Of the object; its fields are dynamic where there is none. */
  readonly view?: SchemaView | undefined;
  readonly root?: boolean | undefined;
  /** The minor release of new expressions. */
  readonly release?: number | undefined;
  readonly more?: ReadonlyMap<string, Type>;
}

/** What rules are written about: an environment, and objects as its variables. */
export interface Subject {
  readonly env: CelEnvironment;
  /** The variables of an object and of the one before it. */
  bind(object: unknown, old: unknown): ReadonlyMap<string, Value>;
  size(path: readonly string[]): Range | undefined;
}

const now = ["self", "object"];
const before = ["oldSelf", "oldObject"];
const keywordsSince = 31;

export function subjectOf(options: SubjectOptions): Subject {
  const { dialect, view: plain, root = false, release, more } = options;
  const view = plain && root ? withObjectMeta(plain) : plain;
  const keywords = release === undefined || release >= keywordsSince;
  const declaration = view && declareSchema(view, { name: "selfType", root, keywords });
  if (view !== undefined && declaration === undefined) throw new Unusable("expressions see nothing of this schema");
  const type = declaration?.declared.type ?? t.dyn;
  const names = [...now, ...before];
  const env = createEnvironment({
    dialect,
    ...(release !== undefined && { release }),
    ...(declaration && { structs: declaration.structs }),
    variables: new Map([...names.map((name) => [name, type] as const), ...(more ?? [])]),
  });
  const value = (data: unknown): Value => (view === undefined ? dynamicValue(data) : schemaValue(data, view));
  return {
    env,
    bind: (object, old) => {
      const bound = new Map<string, Value>();
      if (object !== undefined) for (const name of now) bound.set(name, value(object));
      if (old !== undefined) for (const name of before) bound.set(name, value(old));
      return bound;
    },
    size: (path) => (names.includes(path[0] ?? "") ? declaration?.size(path) : undefined),
  };
}
