import { equalJson } from "@orch/schema/equal.js";
import type { Conversions } from "../../conversion.js";
import { conversion } from "../../conversion.js";
import type {
  CustomResourceDefinition,
  DefinitionConversion,
  DefinitionConversionV1,
  DefinitionSpec,
  DefinitionSpecV1,
  DefinitionV1,
  DefinitionVersion,
  DefinitionVersionV1,
  PrinterColumn,
  PrinterColumnV1,
} from "./types.js";

/**
 * Between v1, which says everything at each version, and the stored v1beta1, which says at the top what all versions
 * share (rules: Removed API versions by release, 1.22).
 */
const definition = conversion<DefinitionV1, CustomResourceDefinition>(() => ({
  toHub({ spec, ...object }) {
    return { ...object, ...(spec === undefined ? {} : { spec: specToHub(spec) }) };
  },
  fromHub({ spec, ...object }) {
    return { ...object, ...(spec === undefined ? {} : { spec: specFromHub(spec) }) };
  },
}));

export const apiextensionsConversions: Conversions = [["apiextensions/v1.CustomResourceDefinition", definition]];

function specToHub(spec: DefinitionSpecV1): DefinitionSpec {
  const { conversion: own, versions, preserveUnknownFields = false, ...rest } = spec;
  return {
    ...rest,
    // v1beta1 has defaults where v1 has none: what v1 leaves out is said.
    scope: spec.scope ?? "",
    preserveUnknownFields,
    ...(own === undefined ? {} : { conversion: conversionToHub(own) }),
    ...(versions === undefined ? {} : withShared(versions.map(versionToHub))),
  };
}

/** What every version says alike goes to the top and leaves the versions. */
function withShared(versions: readonly DefinitionVersion[]): Partial<DefinitionSpec> {
  const [first, ...others] = versions;
  if (first === undefined) return { versions };
  const shared = {
    subresources: others.every((v) => equalJson(v.subresources, first.subresources)),
    schema: others.every((v) => equalJson(v.schema, first.schema)),
    additionalPrinterColumns: others.every((v) =>
      equalJson(v.additionalPrinterColumns, first.additionalPrinterColumns),
    ),
    selectableFields: others.every((v) => equalJson(v.selectableFields, first.selectableFields)),
  };
  const { subresources, schema, additionalPrinterColumns, selectableFields } = first;
  return {
    version: first.name ?? "",
    ...(shared.subresources && subresources !== undefined ? { subresources } : {}),
    ...(shared.schema && schema !== undefined ? { validation: schema } : {}),
    ...(shared.additionalPrinterColumns && additionalPrinterColumns !== undefined ? { additionalPrinterColumns } : {}),
    ...(shared.selectableFields && selectableFields !== undefined ? { selectableFields } : {}),
    versions: versions.map((version) => {
      const { subresources: s, schema: v, additionalPrinterColumns: c, selectableFields: f, ...rest } = version;
      return {
        ...rest,
        ...(shared.subresources || s === undefined ? {} : { subresources: s }),
        ...(shared.schema || v === undefined ? {} : { schema: v }),
        ...(shared.additionalPrinterColumns || c === undefined ? {} : { additionalPrinterColumns: c }),
        ...(shared.selectableFields || f === undefined ? {} : { selectableFields: f }),
      };
    }),
  };
}

function versionToHub({ additionalPrinterColumns: columns, ...version }: DefinitionVersionV1): DefinitionVersion {
  return { ...version, ...(columns === undefined ? {} : { additionalPrinterColumns: columns.map(columnToHub) }) };
}

function columnToHub({ jsonPath, ...column }: PrinterColumnV1): PrinterColumn {
  return { ...column, ...(jsonPath === undefined ? {} : { JSONPath: jsonPath }) };
}

function conversionToHub({ webhook, ...rest }: DefinitionConversionV1): DefinitionConversion {
  if (webhook === undefined) return rest.strategy === "Webhook" ? { ...rest, conversionReviewVersions: [] } : rest;
  const { clientConfig, conversionReviewVersions = [] } = webhook;
  return {
    ...rest,
    ...(clientConfig === undefined ? {} : { webhookClientConfig: clientConfig }),
    conversionReviewVersions,
  };
}

function specFromHub(spec: DefinitionSpec): DefinitionSpecV1 {
  const { version = "", versions, conversion: own, preserveUnknownFields = false, ...rest } = spec;
  const { validation, subresources, additionalPrinterColumns, selectableFields, ...kept } = rest;
  const shared = {
    ...(validation === undefined ? {} : { schema: validation }),
    ...(subresources === undefined ? {} : { subresources }),
    ...(additionalPrinterColumns === undefined
      ? {}
      : { additionalPrinterColumns: additionalPrinterColumns.map(columnFromHub) }),
    ...(selectableFields === undefined ? {} : { selectableFields }),
  };
  const only = version === "" ? undefined : [{ name: version, served: true, storage: true }];
  const given = versions === undefined || versions.length === 0 ? (only ?? versions) : versions;
  return {
    ...kept,
    ...(own === undefined ? {} : { conversion: conversionFromHub(own) }),
    ...(given === undefined ? {} : { versions: given.map((v) => ({ ...versionFromHub(v), ...shared })) }),
    ...(preserveUnknownFields ? { preserveUnknownFields } : {}),
  };
}

function versionFromHub({ additionalPrinterColumns: columns, ...version }: DefinitionVersion): DefinitionVersionV1 {
  return { ...version, ...(columns === undefined ? {} : { additionalPrinterColumns: columns.map(columnFromHub) }) };
}

function columnFromHub({ JSONPath: jsonPath, ...column }: PrinterColumn): PrinterColumnV1 {
  return { ...column, ...(jsonPath === undefined ? {} : { jsonPath }) };
}

function conversionFromHub(own: DefinitionConversion): DefinitionConversionV1 {
  const { webhookClientConfig, conversionReviewVersions, ...rest } = own;
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return rest;
  return {
    ...rest,
    webhook: {
      ...(webhookClientConfig === undefined ? {} : { clientConfig: webhookClientConfig }),
      conversionReviewVersions: conversionReviewVersions ?? [],
    },
  };
}
