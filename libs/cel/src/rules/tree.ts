import type { Type } from "@orch/schema/descriptor.js";
import { itemType, memberType } from "@orch/schema/structural/members.js";
import { viewOfType } from "../schema/of-type.js";
import { type SchemaView, withObjectMeta } from "../schema/view.js";
import { type CompiledRule, compileRules } from "./compile.js";
import type { RuleEnvironments } from "./environments.js";

/**
 * The rules of a schema where they stand: a node for each part that has some, or that leads to some. A node is made when a
 * walk comes to it, and its rules are compiled when a value is held against them.
 */
export interface RuleNode {
  /** As errors name the type of the value; `""` of what may be of several. */
  readonly typeName: string;
  readonly view: SchemaView;
  /** Wrong ones keep their problem: a rule that cannot run fails. */
  readonly rules: () => readonly CompiledRule[];
  /** Why no rule here can be compiled. */
  readonly problem: () => string | undefined;
  readonly fields: () => ReadonlyMap<string, RuleNode>;
  /** Of the values of a map. */
  readonly values: () => RuleNode | undefined;
  readonly items: () => RuleNode | undefined;
  /** Keys that tell the items of a map list apart; undefined of other lists. */
  readonly listKeys: readonly string[] | undefined;
}

export interface RuleTreeOptions {
  readonly environments: RuleEnvironments;
  /** The type is that of a whole object. */
  readonly root: boolean;
}

/** The rules of a custom resource's type, or of a part of one; undefined where it has none. Nothing is compiled yet. */
export function ruleTree(type: Type, options: RuleTreeOptions): RuleNode | undefined {
  return type.rules?.below.rules === true ? nodeOf(type, { ...options, name: "selfType" }) : undefined;
}

interface Place extends RuleTreeOptions {
  readonly name: string;
}

function nodeOf(type: Type, place: Place): RuleNode {
  const { name, root } = place;
  const below = (part: Type | undefined, step: string): RuleNode | undefined =>
    part?.rules?.below.rules === true ? nodeOf(part, { ...place, name: `${name}.${step}`, root: false }) : undefined;
  const view = viewOfType(type);
  const schema = type.rules?.schema ?? {};
  const compiled = once(() =>
    compileRules(schema, { environments: place.environments, name, root, isStored: () => true }),
  );
  const list = type.kind === "any" ? type.forms?.list : type;
  const object = type.kind === "any" ? type.forms?.object : type;
  return {
    typeName: schema.type ?? "",
    view: root ? withObjectMeta(view) : view,
    rules: () => {
      if ((schema["x-kubernetes-validations"] ?? []).length === 0) return none;
      const made = compiled();
      return made.ok ? made.rules : none;
    },
    problem: () => {
      if ((schema["x-kubernetes-validations"] ?? []).length === 0) return undefined;
      const made = compiled();
      return made.ok ? undefined : made.problem;
    },
    fields: once(() => {
      const fields = new Map<string, RuleNode>();
      if (object?.kind !== "message") return fields;
      for (const field of object.byName.keys()) {
        const node = below(memberType(object, field)?.type, field);
        if (node !== undefined) fields.set(field, node);
      }
      return fields;
    }),
    values: once(() => (object?.kind === "map" ? below(object.value, "@elem") : undefined)),
    items: once(() => below(itemType(type), "@idx")),
    listKeys: list?.kind === "list" && list.listType === "map" ? list.keys : undefined,
  };
}

const none: readonly CompiledRule[] = [];

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
