import type { Naming } from "@orch/naming/naming.js";
import { DecodeError, decode } from "@orch/schema/decode.js";
import { isObject, type JsonObject, type MessageType, type Type } from "@orch/schema/descriptor.js";
import { readJson } from "@orch/status/read-json.js";
import type { ApiObject } from "../../object.js";
import type { Types } from "../../types.js";
import type { ScalingBehavior, ScalingRules } from "./types.js";

/** Any version, in the parts that conversion looks at. */
export interface AnyAutoscaler extends ApiObject {
  readonly spec?: JsonObject & { readonly metrics?: readonly JsonObject[]; readonly behavior?: ScalingBehavior };
  readonly status?: JsonObject & {
    readonly currentMetrics?: readonly JsonObject[];
    readonly conditions?: readonly JsonObject[];
  };
}

/** The annotations in which old versions carry what they have no fields for. */
export interface Carriers {
  readonly metrics: string;
  readonly currentMetrics: string;
  readonly conditions: string;
  readonly behavior: string;
}

export function carriers(naming: Naming): Carriers {
  const key = (name: string): string => `autoscaling.alpha.${naming.key(name)}`;
  return {
    metrics: key("metrics"),
    currentMetrics: key("current-metrics"),
    conditions: key("conditions"),
    behavior: key("behavior"),
  };
}

/** To take them all away. */
export function withoutCarried(naming: Naming): Readonly<Record<string, undefined>> {
  return Object.fromEntries(Object.values(carriers(naming)).map((key) => [key, undefined]));
}

/** A type that an annotation holds. */
export function typeOf(types: Types, name: string): MessageType {
  const found = types.message(name);
  if (found === undefined) throw new Error(`no type ${name}`);
  return found;
}

/** The items of a list in an annotation; undefined where it is no such list: clients write annotations too. */
export function carriedList(text: string | undefined, type: MessageType): readonly JsonObject[] | undefined {
  const list = parsed(text);
  if (!Array.isArray(list)) return undefined;
  const items = list.map((item: unknown) => decoded(type, item));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** A list as {@link carriedList} reads it, its fields in the order of the type; undefined for an empty one. */
export function listText(list: readonly JsonObject[], type: MessageType): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list.map((item) => inFieldOrder(type, item)));
}

function inFieldOrder(type: Type, value: unknown): unknown {
  if (type.kind === "list" && Array.isArray(value)) return value.map((item) => inFieldOrder(type.item, item));
  if (!isObject(value)) return value;
  if (type.kind === "map") return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (type.kind !== "message") return value;
  const fields = [...type.byName.values()].filter(({ name }) => value[name] !== undefined);
  return Object.fromEntries(fields.map((field) => [field.name, inFieldOrder(field.type, value[field.name])]));
}

/** Written with the names that the reference's own form has, as its servers read it. */
export function behaviorText({ scaleUp, scaleDown }: ScalingBehavior): string {
  return JSON.stringify({ ScaleUp: rulesForm(scaleUp), ScaleDown: rulesForm(scaleDown) });
}

function rulesForm(rules: ScalingRules | undefined): object | null {
  if (rules === undefined) return null;
  const { stabilizationWindowSeconds: window, selectPolicy, policies } = rules;
  return {
    StabilizationWindowSeconds: window ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type = "", value = 0, periodSeconds = 0 }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
  };
}

export function carriedBehavior(text: string | undefined, type: MessageType): ScalingBehavior | undefined {
  const found = decoded(type, uncapitalized(parsed(text)));
  return found === undefined || Object.keys(found).length === 0 ? undefined : found;
}

function uncapitalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(uncapitalized);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.slice(0, 1).toLowerCase() + name.slice(1), uncapitalized(item)]),
  );
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function decoded(type: MessageType, tree: unknown): JsonObject | undefined {
  if (!isObject(tree)) return undefined;
  try {
    return decode(type, tree).value;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
