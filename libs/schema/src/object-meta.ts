import { enoughErrors, errorsOfEach } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { FormatName, JsonObject } from "./descriptor.js";
import { equalJson } from "./equal.js";
import { formatProblems } from "./formats/format.js";
import { asPrefix, dnsLabel, labelValue, qualifiedName } from "./formats/names.js";
import type { Integer64 } from "./integer64.js";

/** What every object has, as decoded (rules: Common object metadata). Times are RFC 3339 texts. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: Integer64;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly JsonObject[];
}

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface MetaRules {
  readonly namespaced: boolean;
  readonly nameFormat: FormatName;
  /** Finalizers that need no prefix besides `orphan` and `foregroundDeletion`; undefined where none needs one. */
  readonly standardFinalizers: readonly string[] | undefined;
}

const annotationBytes = 262_144;
/** Bytes that the name of a field manager may have. */
export const managerLength = 128;
const subresourceLength = 256;
const orphan = "orphan";
const foreground = "foregroundDeletion";

/** Everything wrong with a new object's metadata; paths begin with `metadata`. */
export function validateObjectMeta(meta: ObjectMeta, rules: MetaRules): FieldError[] {
  return [
    ...validateName(meta, rules),
    ...validateNamespace(meta, rules),
    ...((meta.generation ?? 0) < 0
      ? [fieldError.invalid("metadata.generation", meta.generation, "must be greater than or equal to 0")]
      : []),
    ...validateContent(meta, rules),
  ];
}

/** What may not change between two states of one object, and the new state's content. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, rules: MetaRules): FieldError[] {
  return [
    ...(old.deletionTimestamp === undefined ? [] : noNewFinalizers(meta, old)),
    ...((meta.generation ?? 0) < (old.generation ?? 0)
      ? [fieldError.invalid("metadata.generation", meta.generation ?? 0, "must not be decremented")]
      : []),
    ...immutable.flatMap((name) =>
      equalJson(meta[name], old[name])
        ? []
        : [fieldError.invalid(`metadata.${name}`, meta[name] ?? emptyOf[name], "field is immutable")],
    ),
    ...validateContent(meta, rules),
  ];
}

const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

const emptyOf: Record<(typeof immutable)[number], string | null> = {
  name: "",
  namespace: "",
  uid: "",
  creationTimestamp: null,
  deletionTimestamp: null,
  deletionGracePeriodSeconds: null,
};

function validateName(meta: ObjectMeta, rules: MetaRules): FieldError[] {
  const { name = "", generateName = "" } = meta;
  const errors =
    generateName === ""
      ? []
      : formatProblems(rules.nameFormat, asPrefix(generateName)).map((problem) =>
          fieldError.invalid("metadata.generateName", generateName, problem),
        );
  if (name === "") errors.push(fieldError.required("metadata.name", "name or generateName is required"));
  else {
    for (const problem of formatProblems(rules.nameFormat, name)) {
      errors.push(fieldError.invalid("metadata.name", name, problem));
    }
  }
  return errors;
}

function validateNamespace(meta: ObjectMeta, rules: MetaRules): FieldError[] {
  const { namespace = "" } = meta;
  if (!rules.namespaced) {
    return namespace === "" ? [] : [fieldError.forbidden("metadata.namespace", "not allowed on this type")];
  }
  if (namespace === "") return [fieldError.required("metadata.namespace")];
  return dnsLabel(namespace).map((problem) => fieldError.invalid("metadata.namespace", namespace, problem));
}

function validateContent(meta: ObjectMeta, rules: MetaRules): FieldError[] {
  return [
    ...validateLabels(meta.labels, "metadata.labels"),
    ...validateAnnotations(meta.annotations, "metadata.annotations"),
    ...validateOwners(meta.ownerReferences ?? []),
    ...validateFinalizers(meta.finalizers ?? [], rules.standardFinalizers),
    ...errorsOfEach(meta.managedFields, validateManager),
  ];
}

/** Labels of an object or a template; errors are reported at the map itself. */
export function validateLabels(labels: ObjectMeta["labels"], at: string): FieldError[] {
  if (labels === undefined) return [];
  return errorsOfEach(Object.entries(labels), ([key, value]) => [
    ...qualifiedName(key).map((problem) => fieldError.invalid(at, key, problem)),
    ...labelValue(value).map((problem) => fieldError.invalid(at, value, problem)),
  ]);
}

export function validateAnnotations(annotations: ObjectMeta["annotations"], at: string): FieldError[] {
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    if (errors.length < enoughErrors) {
      for (const problem of qualifiedName(key.toLowerCase())) errors.push(fieldError.invalid(at, key, problem));
    }
    // Beyond the limit there is nothing to count: defaults may have put one long text under thousands of keys.
    if (bytes <= annotationBytes) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > annotationBytes) errors.push(fieldError.tooLong(at, annotationBytes));
  return errors;
}

function validateOwners(owners: readonly OwnerReference[]): FieldError[] {
  const at = "metadata.ownerReferences";
  const errors = errorsOfEach(owners, (owner) => validateOwner(owner, at));
  const controllers = owners.filter((o) => o.controller === true);
  const [first, second] = controllers;
  if (first !== undefined && second !== undefined) {
    // Once, however many there are: each such error shows the whole list.
    const named = ({ kind = "", name = "" }: OwnerReference): string => `${kind}/${name}`;
    const names = `${named(first)} and ${named(second)}`;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${names}`;
    errors.push(fieldError.invalid(at, owners, detail));
  }
  return errors;
}

function validateOwner(owner: OwnerReference, at: string): FieldError[] {
  const { apiVersion = "" } = owner;
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const wellFormed = version !== "" && !version.includes("/");
  const empty = (["kind", "name", "uid"] as const).filter((name) => (owner[name] ?? "") === "");
  return [
    ...(wellFormed ? [] : [fieldError.invalid(`${at}.apiVersion`, apiVersion, "version must not be empty")]),
    ...empty.map((name) => fieldError.invalid(`${at}.${name}`, "", `${name} must not be empty`)),
    ...(apiVersion === "v1" && owner.kind === "Event"
      ? [fieldError.invalid(at, owner, "/v1, Kind=Event is disallowed from being an owner")]
      : []),
  ];
}

function validateFinalizers(finalizers: readonly string[], standard: readonly string[] | undefined): FieldError[] {
  const at = "metadata.finalizers";
  // Those of the metadata of any object stand at the list, those of built-in kinds at the item, as in the reference.
  const errors = errorsOfEach(finalizers, (name) => validateFinalizerName(name, at));
  if (finalizers.includes(orphan) && finalizers.includes(foreground)) {
    errors.push(fieldError.invalid(at, finalizers, `finalizer ${orphan} and ${foreground} cannot be both set`));
  }
  return [...errors, ...errorsOfEach(finalizers, (name, i) => validateQualified(name, `${at}[${i}]`, standard))];
}

/** A finalizer is one of the standard names, where there are any, or has a prefix. */
export function validateFinalizer(name: string, at: string, standard: readonly string[] | undefined): FieldError[] {
  return [...validateFinalizerName(name, at), ...validateQualified(name, at, standard)];
}

function validateFinalizerName(name: string, at: string): FieldError[] {
  return qualifiedName(name).map((problem) => fieldError.invalid(at, name, problem));
}

function validateQualified(name: string, at: string, standard: readonly string[] | undefined): FieldError[] {
  const known = name.includes("/") || name === orphan || name === foreground;
  return known || standard?.includes(name) !== false
    ? []
    : [fieldError.invalid(at, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

function noNewFinalizers(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const before = new Set(old.finalizers ?? []);
  const added = (meta.finalizers ?? []).filter((f) => !before.has(f));
  if (added.length === 0) return [];
  const names = added.map((f) => JSON.stringify(f)).join(", ");
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
  return [fieldError.forbidden("metadata.finalizers", detail)];
}

/** What is wrong with the entry `i` of managedFields, but for its fields. */
export function validateManager(entry: JsonObject, i: number): FieldError[] {
  const at = `metadata.managedFields[${i}]`;
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  return [
    ...(operation === "Apply" || operation === "Update"
      ? []
      : [fieldError.invalid(`${at}.operation`, operation, "must be `Apply` or `Update`")]),
    ...(fieldsType === "" || fieldsType === "FieldsV1"
      ? []
      : [fieldError.invalid(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`")]),
    ...validateFieldManager(String(manager), `${at}.manager`),
    ...(String(subresource).length > subresourceLength
      ? [fieldError.tooLong(`${at}.subresource`, subresourceLength)]
      : []),
  ];
}

/** Letters, marks, numbers, punctuation, symbols and the plain space. */
export function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}

/** The name of a field manager, as an option of a request or in an object. */
export function validateFieldManager(manager: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > managerLength) errors.push(fieldError.tooLong(at, managerLength));
  let position = 0;
  for (const character of manager) {
    // Each of these errors shows the whole name: of one that is too long only those of the beginning are told.
    if (position >= managerLength) break;
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(fieldError.invalid(at, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}
