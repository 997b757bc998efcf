import type { Naming } from "@orch/naming/naming.js";
import type { AnyObject, ApiObject } from "./object.js";
import type { Types } from "./types.js";

/**
 * How objects of one version become objects of the stored version (the hub) and back, without loss in either
 * direction (rules: Deprecation rules, 2). Pure; `kind` and `apiVersion` are set by the caller, and what a
 * version cannot say stands in annotations. Objects have been decoded as their version.
 */
export interface Conversion<Own extends ApiObject = ApiObject, Hub extends ApiObject = ApiObject> {
  toHub(object: Own): Hub;
  fromHub(object: Hub): Own;
}

/** Makes a conversion; the naming gives it the words of the dialect in force, the types what its annotations hold. */
export type ConversionOf = (naming: Naming, types: Types) => Conversion<AnyObject, AnyObject>;

/** Conversions by the names of the types of the versions that are not stored: `autoscaling/v1.HorizontalPodAutoscaler`. */
export type Conversions = readonly (readonly [type: string, conversion: ConversionOf])[];

/** A conversion written for its own object types, as the catalog keeps it. */
export function conversion<Own extends ApiObject, Hub extends ApiObject>(
  make: (naming: Naming, types: Types) => Conversion<Own, Hub>,
): ConversionOf {
  // Only objects decoded as these versions reach it: the catalog pairs them.
  return make as unknown as ConversionOf;
}

/** For a version that says the same, but always writes other fields than the stored version does. */
export const sameFields: ConversionOf = () => ({ toHub: (object) => object, fromHub: (object) => object });
