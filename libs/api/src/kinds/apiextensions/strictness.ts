import { ruleEnvironments } from "@orch/cel/rules/environments.js";
import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import {
  embeddedResource,
  intOrString,
  type JsonSchema,
  listMapKeys,
  listType,
  preserveUnknownFields,
  someSchema,
  validations,
} from "@orch/schema/structural/json-schema.js";
import { isTrue } from "../shared/conditions.js";
import { hasKnownReviewVersion, validateCaBundle } from "../shared/webhook-client.js";
import { hasPrunedDefaults } from "./schema/defaults.js";
import { type ExpressionChecks, expressionTexts } from "./schema/expressions.js";
import { type SchemaChecks, validateSchema } from "./schema/rules.js";
import { isStructural } from "./schema/structural.js";
import type { CustomResourceDefinition, DefinitionSpec } from "./types.js";

/** Rules that not every definition has to keep: v1beta1 had fewer, and what is stored need not get better. */
export interface Strictness extends SchemaChecks {
  /** Every version has a schema. */
  readonly schemas: boolean;
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly knownReviewVersion: boolean;
  readonly caBundle: boolean;
  /** Scope and kind stay what they are. */
  readonly fixedNames: boolean;
  /** Unknown fields may not be kept everywhere. */
  readonly pruning: boolean;
  /** Groups of the system need somebody's approval. */
  readonly approval: boolean;
  readonly expressions: ExpressionChecks;
}

/** What the words and the rules of a server depend on. */
export interface Server {
  readonly naming: Naming;
  readonly release: string;
}

export function strictnessOfCreate(asked: string, { naming, release }: Server): Strictness {
  const since = asked !== "v1beta1";
  const groups = naming.group("apiextensions");
  return {
    schemas: since,
    structural: since,
    prunedDefaults: true,
    knownReviewVersion: true,
    // One that is not usable keeps a new definition from being established.
    caBundle: false,
    fixedNames: false,
    pruning: since,
    approval: since,
    expressions: {
      environments: ruleEnvironments(naming.dialect, release),
      isStored: () => false,
      isKept: () => false,
    },
    knownTypes: since,
    patterns: true,
    atomicSets: true,
    listMapKeys: true,
    noDefaults: since ? undefined : `(cannot set default values in ${groups}/v1beta1 CRDs, must use ${groups}/v1)`,
  };
}

export function strictnessOfUpdate(asked: string, old: CustomResourceDefinition, server: Server): Strictness {
  const created = strictnessOfCreate(asked, server);
  const { spec = {}, status = {} } = old;
  const schemas = schemasOf(spec);
  const established = isTrue(status.conditions, "Established");
  const { conversionReviewVersions: reviews = [], webhookClientConfig } = spec.conversion ?? {};
  const breaks = (checks: Partial<SchemaChecks>): boolean =>
    schemas.some((schema) => validateSchema(schema, "", { ...nothing, ...checks }).length > bare(schema));
  const bare = (schema: JsonSchema): number => validateSchema(schema, "", nothing).length;
  return {
    ...created,
    schemas: created.schemas && everyVersionHasSchema(spec),
    structural: created.structural && schemas.every(isStructural),
    prunedDefaults: schemas.every((schema) => !isStructural(schema) || hasPrunedDefaults(schema)),
    knownReviewVersion: reviews.length === 0 || hasKnownReviewVersion(reviews),
    caBundle: established && validateCaBundle(webhookClientConfig?.caBundle ?? "", "").length === 0,
    fixedNames: established,
    pruning: created.pruning && spec.preserveUnknownFields !== true,
    knownTypes: created.knownTypes && !breaks({ knownTypes: true }),
    patterns: !breaks({ patterns: true }),
    atomicSets: !breaks({ atomicSets: true }),
    listMapKeys: !breaks({ listMapKeys: true }),
    noDefaults: schemas.some(hasDefaults) ? undefined : created.noDefaults,
    expressions: {
      ...created.expressions,
      isStored: expressionTexts(schemas),
      isKept: (schema) => schemas.some((stored) => equalJson(stored, schema)),
    },
  };
}

const nothing: SchemaChecks = {
  knownTypes: false,
  patterns: false,
  atomicSets: false,
  listMapKeys: false,
  noDefaults: undefined,
};

export function schemasOf({ validation, versions = [] }: DefinitionSpec): readonly JsonSchema[] {
  return [validation, ...versions.map((v) => v.schema)].flatMap((v) => v?.openAPIV3Schema ?? []);
}

function everyVersionHasSchema({ validation, versions = [] }: DefinitionSpec): boolean {
  return validation?.openAPIV3Schema !== undefined || versions.every((v) => v.schema?.openAPIV3Schema !== undefined);
}

export function hasDefaults(schema: JsonSchema): boolean {
  return someSchema(schema, (s) => s.default !== undefined);
}

export function hasExtensions(schema: JsonSchema): boolean {
  return someSchema(
    schema,
    (s) =>
      s[embeddedResource] === true ||
      s[preserveUnknownFields] !== undefined ||
      s[intOrString] === true ||
      s[listMapKeys] !== undefined ||
      s[listType] !== undefined ||
      s[validations] !== undefined,
  );
}
