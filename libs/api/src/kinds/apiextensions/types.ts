import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import type { ApiObject } from "../../object.js";
import type { Condition } from "../shared/conditions.js";
import type { WebhookClientConfig } from "../shared/webhook-client.js";

// The stored version is v1beta1: what all versions of a resource share stands once, at the top of the spec.

export interface CustomResourceDefinition extends ApiObject {
  readonly spec?: DefinitionSpec;
  readonly status?: DefinitionStatus;
}

export interface DefinitionSpec extends VersionParts {
  readonly group?: string;
  /** The first of `versions`. */
  readonly version?: string;
  readonly names?: DefinitionNames;
  readonly scope?: string;
  readonly validation?: VersionSchema;
  readonly versions?: readonly DefinitionVersion[];
  readonly conversion?: DefinitionConversion;
  readonly preserveUnknownFields?: boolean;
}

/** What stands at the top for all versions or at each of them. */
export interface VersionParts {
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly SelectableField[];
}

export interface DefinitionVersion extends VersionParts {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: VersionSchema;
}

export interface DefinitionNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind?: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface VersionSchema {
  readonly openAPIV3Schema?: JsonSchema;
}

export interface Subresources {
  readonly status?: object;
  readonly scale?: {
    readonly specReplicasPath?: string;
    readonly statusReplicasPath?: string;
    readonly labelSelectorPath?: string;
  };
}

export interface PrinterColumn extends ColumnParts {
  readonly JSONPath?: string;
}

export interface ColumnParts {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface SelectableField {
  readonly jsonPath?: string;
}

export interface DefinitionConversion {
  readonly strategy?: string;
  readonly webhookClientConfig?: WebhookClientConfig;
  readonly conversionReviewVersions?: readonly string[];
}

export interface DefinitionStatus {
  readonly conditions?: readonly Condition[];
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[];
}

/** The definition as v1 has it: all at each version. */
export interface DefinitionV1 extends ApiObject {
  readonly spec?: DefinitionSpecV1;
  readonly status?: DefinitionStatus;
}

export interface DefinitionSpecV1 {
  readonly group?: string;
  readonly names?: DefinitionNames;
  readonly scope?: string;
  readonly versions?: readonly DefinitionVersionV1[];
  readonly conversion?: DefinitionConversionV1;
  readonly preserveUnknownFields?: boolean;
}

export interface DefinitionVersionV1 extends Omit<DefinitionVersion, "additionalPrinterColumns"> {
  readonly additionalPrinterColumns?: readonly PrinterColumnV1[];
}

export interface PrinterColumnV1 extends ColumnParts {
  readonly jsonPath?: string;
}

export interface DefinitionConversionV1 {
  readonly strategy?: string;
  readonly webhook?: {
    readonly clientConfig?: WebhookClientConfig;
    readonly conversionReviewVersions?: readonly string[];
  };
}
