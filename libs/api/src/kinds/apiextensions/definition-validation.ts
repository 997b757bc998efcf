import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { dns1035Label, dnsSubdomain } from "@orch/schema/formats/names.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { immutable } from "../shared/problems.js";
import { validateCaBundle, validateReviewVersions, validateWebhookClient } from "../shared/webhook-client.js";
import { approvalKey, approvalOf } from "./approval.js";
import { unstructured } from "./schema/structural.js";
import { hasDefaults, hasExtensions, type Strictness, schemasOf } from "./strictness.js";
import type {
  CustomResourceDefinition,
  DefinitionConversion,
  DefinitionNames,
  DefinitionSpec,
  DefinitionVersion,
  SelectableField,
  VersionSchema,
} from "./types.js";
import {
  validateColumns,
  validateSelectableFields,
  validateSubresources,
  validateVersionSchema,
} from "./version-parts.js";

/**
 * Everything wrong with a definition, in its stored form: paths are those of the reference, whose sentences speak of
 * that form too.
 */
export function validateDefinition(object: CustomResourceDefinition, strictness: Strictness): readonly FieldError[] {
  const { spec = {}, status = {} } = object;
  return [
    ...validateSpec(spec, strictness),
    ...validateNames(status.acceptedNames ?? {}, "status.acceptedNames"),
    ...validateStoredVersions(status.storedVersions, spec.versions ?? []),
    ...(strictness.pruning && spec.preserveUnknownFields === true ? [keepsUnknownFields] : []),
  ];
}

/** A definition is called after what it defines. */
export function validateName({ metadata, spec = {} }: CustomResourceDefinition): readonly FieldError[] {
  const { name = "" } = metadata;
  if (name === "" || name === `${spec.names?.plural ?? ""}.${spec.group ?? ""}`) return [];
  return [fieldError.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

const keepsUnknownFields = fieldError.invalid(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);

function validateSpec(spec: DefinitionSpec, given: Strictness): readonly FieldError[] {
  const { versions = [], names = {}, preserveUnknownFields = true } = spec;
  const schemas = schemasOf(spec);
  const defaulted = given.noDefaults === undefined && schemas.some(hasDefaults);
  // Pruning, defaults and extensions ask for structure, whoever writes them.
  const structural = given.structural || !preserveUnknownFields || defaulted || schemas.some(hasExtensions);
  const strictness = { ...given, structural };
  return [
    ...validateGroup(spec.group ?? ""),
    ...validateMember("spec.scope", spec.scope ?? "", ["Cluster", "Namespaced"]),
    ...validateSchemas(spec, strictness),
    ...(defaulted && preserveUnknownFields
      ? [fieldError.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")]
      : []),
    ...versions.flatMap((version, i) => validateVersion(version, spec, { at: `spec.versions[${i}]`, strictness })),
    ...validateSharing(spec, versions),
    ...validateVersionNames(spec, versions),
    ...(["plural", "singular", "kind", "listKind"] as const)
      .filter((name) => (names[name] ?? "") === "")
      .map((name) => fieldError.required(`spec.names.${name}`)),
    ...validateNames(names, "spec.names"),
    ...validateTop(spec, strictness),
    ...(spec.conversion !== undefined && spec.conversion.strategy !== "None" && preserveUnknownFields
      ? [
          fieldError.invalid(
            "spec.conversion.strategy",
            spec.conversion.strategy ?? "",
            "must be None if spec.preserveUnknownFields is true",
          ),
        ]
      : []),
    ...validateConversion(spec.conversion, strictness),
  ];
}

function validateGroup(group: string): readonly FieldError[] {
  if (group === "") return [fieldError.required("spec.group")];
  const problems = dnsSubdomain(group);
  if (problems.length > 0) return [fieldError.invalid("spec.group", group, problems.join(","))];
  if (group.includes(".")) return [];
  return [fieldError.invalid("spec.group", group, "should be a domain with at least one dot")];
}

function validateMember(at: string, value: string, members: readonly string[]): readonly FieldError[] {
  if (value === "") return [fieldError.required(at)];
  return members.includes(value) ? [] : [fieldError.notSupported(at, value, members)];
}

function validateSchemas(spec: DefinitionSpec, { schemas }: Strictness): readonly FieldError[] {
  const { validation, versions = [], preserveUnknownFields = true } = spec;
  if (validation?.openAPIV3Schema !== undefined || (!schemas && preserveUnknownFields)) return [];
  const detail = schemas ? "schemas are required" : "because otherwise all fields are pruned";
  return versions.flatMap(({ schema, served = false }, i) =>
    schema?.openAPIV3Schema === undefined && (schemas || served)
      ? [fieldError.required(`spec.versions[${i}].schema.openAPIV3Schema`, detail)]
      : [],
  );
}

function validateVersion(
  version: DefinitionVersion,
  spec: DefinitionSpec,
  { at, strictness }: { readonly at: string; readonly strictness: Strictness },
): readonly FieldError[] {
  const { name = "", schema = {}, subresources = {}, additionalPrinterColumns = [], selectableFields = [] } = version;
  const problems = dns1035Label(name);
  const perVersion = (spec.versions ?? []).some((v) => v.subresources !== undefined);
  const status = (perVersion ? subresources : spec.subresources)?.status;
  return [
    ...(problems.length === 0 ? [] : [fieldError.invalid(`${at}.name`, name, problems.join(","))]),
    ...validateDeprecation(version, `${at}.deprecationWarning`),
    ...validateVersionSchema(schema, { at: `${at}.schema`, hasStatus: status !== undefined, strictness }),
    ...validateSubresources(subresources, `${at}.subresources`),
    ...validateColumns(additionalPrinterColumns, `${at}.additionalPrinterColumns`),
    ...(selectableFields.length === 0
      ? []
      : selectable(
          selectableFields,
          // The versions may share a schema without sharing these.
          [version.schema ?? spec.validation],
          {
            at,
            missing: "selectableFields may only be set when version.schema.openAPIV3Schema is not included",
          },
        )),
  ];
}

/** By the first of the schemas in which something is wrong. */
function selectable(
  fields: readonly SelectableField[],
  schemas: readonly (VersionSchema | undefined)[],
  place: { readonly at: string; readonly missing: string },
): readonly FieldError[] {
  const errors = schemas.map((schema) => selectableBy(fields, schema?.openAPIV3Schema, place));
  return errors.find((some) => some.length > 0) ?? [];
}

function selectableBy(
  selectableFields: readonly SelectableField[],
  openApi: JsonSchema | undefined,
  { at, missing }: { readonly at: string; readonly missing: string },
): readonly FieldError[] {
  if (openApi === undefined) return [fieldError.invalid(`${at}.selectableFields`, "", missing)];
  const reason = unstructured(openApi);
  if (reason !== undefined) return [fieldError.invalid(`${at}.schema.openAPIV3Schema`, "", reason)];
  return validateSelectableFields(selectableFields, openApi, `${at}.selectableFields`);
}

const maxWarning = 256;

function validateDeprecation(version: DefinitionVersion, at: string): readonly FieldError[] {
  const { deprecated = false, deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  const wrong = (detail: string) => fieldError.invalid(at, warning, detail);
  if (!deprecated) return [wrong("can only be set for deprecated versions")];
  const before = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*/u.exec(warning)?.[0] ?? "";
  const index = Buffer.byteLength(before);
  return [
    ...(Buffer.byteLength(warning) > maxWarning ? [wrong(`must be <= ${maxWarning} characters long`)] : []),
    ...(warning === "" ? [wrong("must not be an empty string")] : []),
    ...(before.length < warning.length
      ? [wrong(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)]
      : []),
  ];
}

/** What all versions share stands at the top, and only there. */
function validateSharing(spec: DefinitionSpec, versions: readonly DefinitionVersion[]): readonly FieldError[] {
  const parts = [
    { top: "validation", name: "schemas", own: (v: DefinitionVersion) => v.schema },
    { top: "subresources", name: "subresources", own: (v: DefinitionVersion) => v.subresources },
    {
      top: "additionalPrinterColumns",
      name: "additionalPrinterColumns",
      own: (v: DefinitionVersion) => v.additionalPrinterColumns,
    },
  ] as const;
  const values = parts.map(({ own }) => versions.map((v): unknown => own(v)));
  return [
    ...parts.flatMap(({ top, name }, i) => {
      if (spec[top] === undefined || values[i]?.every((value) => value === undefined)) return [];
      return [fieldError.forbidden(`spec.${top}`, `top-level and per-version ${name} are mutually exclusive`)];
    }),
    ...parts.flatMap(({ top, name }, i) => {
      const [first, ...others] = values[i] ?? [];
      if (first === undefined || !others.every((value) => equalJson(value, first))) return [];
      const detail = `per-version ${name} may not all be set to identical values (top-level ${top} should be used instead)`;
      return [fieldError.invalid("spec.versions", versions, detail)];
    }),
  ];
}

function validateVersionNames(spec: DefinitionSpec, versions: readonly DefinitionVersion[]): readonly FieldError[] {
  const { version = "" } = spec;
  const names = versions.map((v) => v.name ?? "");
  const problems = version === "" ? [] : dns1035Label(version);
  const shown = spec.versions ?? [];
  return [
    ...(new Set(names).size === names.length
      ? []
      : [fieldError.invalid("spec.versions", shown, "must contain unique version names")]),
    ...(versions.filter((v) => v.storage === true).length === 1
      ? []
      : [fieldError.invalid("spec.versions", shown, "must have exactly one version marked as storage version")]),
    ...(problems.length === 0 ? [] : [fieldError.invalid("spec.version", version, problems.join(","))]),
    ...(version === "" || names.length === 0 || names[0] === version
      ? []
      : [fieldError.invalid("spec.version", version, "must match the first version in spec.versions")]),
  ];
}

function validateNames(names: DefinitionNames, at: string): readonly FieldError[] {
  const label = (step: string, value: string): readonly FieldError[] => {
    const problems = dns1035Label(value);
    return problems.length === 0 ? [] : [fieldError.invalid(`${at}.${step}`, value, problems.join(","))];
  };
  const mixed = (step: string, value: string): readonly FieldError[] => {
    const problems = dns1035Label(value.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
    return problems.length === 0 ? [] : [fieldError.invalid(`${at}.${step}`, value, detail)];
  };
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  return [
    ...(plural === "" ? [] : label("plural", plural)),
    ...(singular === "" ? [] : label("singular", singular)),
    ...(kind === "" ? [] : mixed("kind", kind)),
    ...(listKind === "" ? [] : mixed("listKind", listKind)),
    ...shortNames.flatMap((name, i) => label(`shortNames[${i}]`, name)),
    ...(kind !== "" && kind === listKind
      ? [fieldError.invalid(`${at}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((name, i) => label(`categories[${i}]`, name)),
  ];
}

/** What versions share may be their fields alone, each with a schema of its own. */
function schemasOfVersions({ validation, versions = [] }: DefinitionSpec): readonly (VersionSchema | undefined)[] {
  if (validation !== undefined || versions.length === 0) return [validation];
  return versions.map(({ schema }) => schema);
}

function validateTop(spec: DefinitionSpec, strictness: Strictness): readonly FieldError[] {
  const {
    validation = {},
    subresources = {},
    additionalPrinterColumns = [],
    selectableFields = [],
    versions = [],
  } = spec;
  const hasStatus = [subresources, ...versions.map((v) => v.subresources)].some((s) => s?.status !== undefined);
  return [
    ...validateVersionSchema(validation, { at: "spec.validation", hasStatus, strictness }),
    ...validateSubresources(subresources, "spec.subresources"),
    ...validateColumns(additionalPrinterColumns, "spec.additionalPrinterColumns"),
    ...(selectableFields.length === 0
      ? []
      : selectable(selectableFields, schemasOfVersions(spec), {
          at: "spec",
          missing: "selectableFields may only be set when validations.schema is included",
        })),
  ];
}

function validateConversion(
  conversion: DefinitionConversion | undefined,
  { knownReviewVersion, caBundle }: Strictness,
): readonly FieldError[] {
  if (conversion === undefined) return [];
  const { strategy = "", webhookClientConfig: client, conversionReviewVersions = [] } = conversion;
  const at = "spec.conversion";
  const errors = validateMember(`${at}.strategy`, strategy, ["None", "Webhook"]);
  if (strategy !== "Webhook") {
    const set = [
      ...(client === undefined ? [] : ["webhookClientConfig"]),
      ...(conversionReviewVersions.length === 0 ? [] : ["conversionReviewVersions"]),
    ];
    const detail = "should not be set when strategy is not set to Webhook";
    return [...errors, ...set.map((name) => fieldError.forbidden(`${at}.${name}`, detail))];
  }
  const path = `${at}.webhookClientConfig`;
  const bundle = client?.caBundle ?? "";
  return [
    ...errors,
    ...(client === undefined ? [fieldError.required(path, "required when strategy is set to Webhook")] : []),
    ...(client === undefined ? [] : validateWebhookClient(client, path)),
    ...(bundle !== "" && caBundle ? validateCaBundle(bundle, `${path}.caBundle`) : []),
    ...validateReviewVersions(conversionReviewVersions, {
      at: `${at}.conversionReviewVersions`,
      recognized: knownReviewVersion,
      required: "",
    }),
  ];
}

function validateStoredVersions(
  stored: readonly string[] | undefined,
  versions: readonly DefinitionVersion[],
): readonly FieldError[] {
  const at = "status.storedVersions";
  if (stored === undefined || stored.length === 0) {
    return [fieldError.invalid(at, stored ?? null, "must have at least one stored version")];
  }
  const names = new Set(versions.map((v) => v.name ?? ""));
  const left = new Set(stored);
  return [
    // Of two versions of one name, the second finds its name taken.
    ...versions.flatMap(({ name = "", storage = false }) =>
      !left.delete(name) && storage ? [fieldError.invalid(at, stored, `must have the storage version ${name}`)] : [],
    ),
    ...stored.flatMap((name, i) =>
      names.has(name) ? [] : [fieldError.invalid(`${at}[${i}]`, name, "must appear in spec.versions")],
    ),
  ];
}

/** Everything wrong with the status of a definition. */
export function validateDefinitionStatus({ status = {} }: CustomResourceDefinition): readonly FieldError[] {
  return validateNames(status.acceptedNames ?? {}, "status.acceptedNames");
}

/** What an update may not change: the name is made of group and plural, objects are stored by scope and kind. */
export function validateFixed(
  { spec = {} }: CustomResourceDefinition,
  { spec: before = {} }: CustomResourceDefinition,
  { fixedNames }: Strictness,
): readonly FieldError[] {
  const fixed = (at: string, value = "", old = ""): readonly FieldError[] =>
    value === old ? [] : [fieldError.invalid(at, value, immutable)];
  return [
    ...(fixedNames ? fixed("spec.scope", spec.scope, before.scope) : []),
    ...(fixedNames ? fixed("spec.names.kind", spec.names?.kind, before.names?.kind) : []),
    ...fixed("spec.group", spec.group, before.group),
    ...fixed("spec.names.plural", spec.names?.plural, before.names?.plural),
  ];
}

/**
 * Groups under the system's own domains need an annotation: where they were approved, or that they were not. One that
 * stays as it was is not asked about again.
 */
export function validateApproval(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  naming: Naming,
): readonly FieldError[] {
  const approval = approvalOf(object, naming);
  if (approval === undefined || approval.state === "approved" || approval.state === "bypassed") return [];
  if (old !== undefined && approval.state === approvalOf(old, naming)?.state) return [];
  const at = `metadata.annotations[${approvalKey(naming)}]`;
  if (approval.state === "missing") return [fieldError.required(at, approval.message)];
  return [fieldError.invalid(at, object.metadata.annotations?.[approvalKey(naming)] ?? "", approval.message)];
}
