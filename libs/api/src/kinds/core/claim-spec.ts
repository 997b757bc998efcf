import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { dnsLabel, dnsSubdomain } from "@orch/schema/formats/names.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type LabelSelector, validateLabelSelector } from "../shared/label-selector.js";
import { invalidFor } from "../shared/problems.js";
import { type Resources, rounded } from "./resources.js";
import { validateAccessModes } from "./volume-spec.js";

interface LocalSource {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

interface Source extends LocalSource {
  readonly namespace?: string;
}

/** What a claim asks for, also inside pods and in templates of claims. */
export interface ClaimSpec {
  readonly accessModes?: readonly string[];
  readonly selector?: LabelSelector;
  readonly resources?: { readonly limits?: Resources; readonly requests?: Resources };
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly dataSource?: LocalSource;
  readonly dataSourceRef?: Source;
  readonly volumeAttributesClassName?: string;
}

/** Defaults that depend on other fields; the volume mode is data. */
export function defaultClaimSpec(spec: ClaimSpec): ClaimSpec {
  const { resources } = spec;
  if (resources === undefined) return spec;
  const { limits, requests } = resources;
  return {
    ...spec,
    resources: {
      ...resources,
      ...(limits === undefined ? {} : { limits: rounded(limits) }),
      ...(requests === undefined ? {} : { requests: rounded(requests) }),
    },
  };
}

/**
 * `dataSource` and `dataSourceRef` say the same thing; who sets one finds both. What only the newer one may say is
 * dropped from the older one in silence, as it always was, unless the stored claim has a source already.
 */
export function withBothSources(spec: ClaimSpec, old: ClaimSpec | undefined, naming: Naming): ClaimSpec {
  const inUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  const { dataSource, dataSourceRef, ...rest } = spec;
  const kept = inUse || isPlainSource(dataSource, naming) ? dataSource : undefined;
  const ref = dataSourceRef ?? kept;
  const local = kept ?? ((dataSourceRef?.namespace ?? "") === "" ? localOf(dataSourceRef) : undefined);
  return {
    ...rest,
    ...(local === undefined ? {} : { dataSource: local }),
    ...(ref === undefined ? {} : { dataSourceRef: ref }),
  };
}

function localOf(source: Source | undefined): LocalSource | undefined {
  if (source === undefined) return undefined;
  const { namespace, ...local } = source;
  return local;
}

/** A claim or a snapshot: all that the older field takes. */
function isPlainSource(source: LocalSource | undefined, naming: Naming): boolean {
  const { apiGroup = "", kind } = source ?? {};
  return (
    (apiGroup === "" && kind === "PersistentVolumeClaim") ||
    (apiGroup === naming.group("snapshot.storage") && kind === "VolumeSnapshot")
  );
}

/** Everything wrong with a claim's spec that its data does not tell. */
export function validateClaimSpec(spec: ClaimSpec, at: string): FieldError[] {
  return [
    ...validateLabelSelector(spec.selector, `${at}.selector`),
    ...validateAccessModes(spec.accessModes ?? [], `${at}.accessModes`),
    ...validateSize(spec.resources?.requests?.["storage"], `${at}.resources[storage]`),
    ...validateSource(spec.dataSource, `${at}.dataSource`),
    ...validateSource(spec.dataSourceRef, `${at}.dataSourceRef`),
    ...validateBothSources(spec, at),
  ];
}

function validateSize(size: string | undefined, at: string): FieldError[] {
  if (size === undefined) return [fieldError.required(at)];
  return compareQuantities(size, "0") > 0 ? [] : [fieldError.invalid(at, size, "must be greater than zero")];
}

function validateSource(source: Source | undefined, at: string): FieldError[] {
  if (source === undefined) return [];
  const { name = "", kind = "", apiGroup = "", namespace = "" } = source;
  return [
    ...(name === "" ? [fieldError.required(`${at}.name`)] : []),
    ...(kind === "" ? [fieldError.required(`${at}.kind`)] : []),
    ...(apiGroup === "" && kind !== "PersistentVolumeClaim"
      ? [fieldError.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(apiGroup === "" ? [] : invalidFor(`${at}.apiGroup`, apiGroup, dnsSubdomain(apiGroup))),
    ...(namespace === "" ? [] : invalidFor(`${at}.namespace`, namespace, dnsLabel(namespace))),
  ];
}

function validateBothSources({ dataSource, dataSourceRef }: ClaimSpec, at: string): FieldError[] {
  if (dataSource === undefined || dataSourceRef === undefined) return [];
  const wrong = (detail: string) => [fieldError.invalid(at, `${at}.dataSource`, detail)];
  if ((dataSourceRef.namespace ?? "") !== "")
    return wrong("may not be specified when dataSourceRef.namespace is specified");
  return equalJson(dataSource, localOf(dataSourceRef)) ? [] : wrong("must match dataSourceRef");
}
