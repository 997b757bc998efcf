import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import { readJson } from "@orch/status/read-json.js";
import { type Conversions, conversion } from "../../conversion.js";
import { withAnnotations } from "../shared/annotations.js";
import { zeroSharesKey } from "./priority-level.js";
import type { Exempt, Limited, PriorityLevelConfiguration } from "./types.js";

/** 0 shares are a number in v1; v1beta3 says with an annotation that they are meant. */
const priorityLevel = conversion<PriorityLevelConfiguration, PriorityLevelConfiguration>((naming) => {
  const key = zeroSharesKey(naming);
  return {
    toHub: (object) => {
      const metadata = withAnnotations(object.metadata, { [key]: undefined });
      const { limited } = object.spec ?? {};
      if (limited === undefined) return { ...object, metadata };
      const nominalConcurrencyShares = limited.nominalConcurrencyShares ?? 0;
      return { ...object, metadata, spec: { ...object.spec, limited: { ...limited, nominalConcurrencyShares } } };
    },
    fromHub: (object) => {
      if (object.spec?.limited?.nominalConcurrencyShares !== 0) return object;
      return { ...object, metadata: withAnnotations(object.metadata, { [key]: "" }) };
    },
  };
});

/** v1alpha1 knows neither borrowing nor what is exempt: it keeps them in an annotation. */
const priorityLevelV1alpha1 = conversion<PriorityLevelConfiguration, PriorityLevelConfiguration>((naming) => {
  const key = `${naming.group("flowcontrol")}/v1alpha1-preserved-fields`;
  return {
    toHub: (object) => {
      const { metadata, spec } = object;
      const text = metadata.annotations?.[key];
      if (spec === undefined) return object;
      const { limited, exempt } = readKept(text ?? "");
      return {
        ...object,
        metadata: text === undefined ? metadata : withAnnotations(metadata, { [key]: undefined }),
        spec: {
          ...spec,
          ...(spec.limited === undefined ? {} : { limited: { ...limited, ...nominalOf(spec.limited) } }),
          ...(exempt === undefined ? {} : { exempt }),
        },
      };
    },
    fromHub: (object) => {
      if (object.spec === undefined) return object;
      const { exempt, limited: given, ...rest } = object.spec;
      if (given === undefined) return { ...object, metadata: keeping(object, { exempt }, key), spec: rest };
      const { lendablePercent, borrowingLimitPercent, nominalConcurrencyShares, ...limited } = given;
      const shares =
        nominalConcurrencyShares === undefined ? {} : { assuredConcurrencyShares: nominalConcurrencyShares };
      return {
        ...object,
        metadata: keeping(object, { lendablePercent, borrowingLimitPercent, exempt }, key),
        spec: { ...rest, limited: { ...limited, ...shares } },
      };
    },
  };
});

interface Kept {
  readonly lendablePercent?: number | undefined;
  readonly borrowingLimitPercent?: number | undefined;
  readonly exempt?: Exempt | undefined;
}

function keeping({ metadata }: PriorityLevelConfiguration, kept: Kept, key: string): ObjectMeta {
  if (Object.values(kept).every((value) => value === undefined)) return metadata;
  return withAnnotations(metadata, { [key]: JSON.stringify(kept) });
}

function nominalOf({ assuredConcurrencyShares, ...rest }: Limited): Limited {
  return assuredConcurrencyShares === undefined
    ? rest
    : { ...rest, nominalConcurrencyShares: assuredConcurrencyShares };
}

/** Clients write annotations too: what is no number is not taken. */
function readKept(text: string): { readonly limited: JsonObject; readonly exempt?: JsonObject } {
  const kept = parsed(text);
  const numbers = (from: JsonObject, names: readonly string[]): JsonObject =>
    Object.fromEntries(names.flatMap((n) => (isInt32(from[n]) ? [[n, from[n]]] : [])));
  const exempt = kept["exempt"];
  return {
    limited: numbers(kept, ["lendablePercent", "borrowingLimitPercent"]),
    ...(isObject(exempt) ? { exempt: numbers(exempt, ["nominalConcurrencyShares", "lendablePercent"]) } : {}),
  };
}

function isInt32(value: unknown): boolean {
  return typeof value === "number" && (value | 0) === value;
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = readJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export const flowcontrolConversions: Conversions = [
  ["flowcontrol/v1beta3.PriorityLevelConfiguration", priorityLevel],
  ["flowcontrol/v1alpha1.PriorityLevelConfiguration", priorityLevelV1alpha1],
];
