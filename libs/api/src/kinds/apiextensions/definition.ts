import { behavior } from "../../behavior.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import {
  validateApproval,
  validateDefinition,
  validateDefinitionStatus,
  validateFixed,
  validateName,
} from "./definition-validation.js";
import { strictnessOfCreate, strictnessOfUpdate } from "./strictness.js";
import type {
  CustomResourceDefinition,
  DefinitionNames,
  DefinitionSpec,
  DefinitionStatus,
  DefinitionV1,
  DefinitionVersion,
} from "./types.js";

/** The stored form, v1beta1. Custom resources of a definition that goes are not its own business. */
export const customResourceDefinition = behavior<CustomResourceDefinition>((naming, release) => ({
  setDefaults: (object) =>
    object.spec === undefined ? object : withStored({ ...object, spec: defaultSpec(object.spec) }),
  prepareForCreate: (object) => withStorageVersion(object),
  prepareForUpdate: (object) => withStorageVersion(object),
  validateCreate(object, asked) {
    const strictness = strictnessOfCreate(asked, { naming, release });
    return [
      ...validateName(object),
      ...validateDefinition(object, strictness),
      ...(strictness.approval ? validateApproval(object, undefined, naming) : []),
    ];
  },
  validateUpdate(object, old, asked) {
    const strictness = strictnessOfUpdate(asked, old, { naming, release });
    return [
      ...validateDefinition(object, strictness),
      ...validateFixed(object, old, strictness),
      ...(strictness.approval ? validateApproval(object, old, naming) : []),
    ];
  },
  parts: { status: { resets: allButStatus, prepare: statusOnly, validate: validateDefinitionStatus } },
}));

export const customResourceDefinitionV1 = behavior<DefinitionV1>(() => ({
  setDefaults({ spec, ...object }) {
    if (spec === undefined) return object;
    return withStored({ ...object, spec: { ...spec, names: defaultNames(spec.names ?? {}) } });
  },
}));

function defaultSpec(spec: DefinitionSpec): DefinitionSpec {
  const { version = "", versions = [], conversion } = spec;
  const made = versions.length === 0 && version !== "" ? [{ name: version, served: true, storage: true }] : undefined;
  const first = versions[0]?.name ?? "";
  // An empty list is what v1 sends for none, and is refused.
  const reviews = conversion?.strategy === "Webhook" && conversion.conversionReviewVersions === undefined;
  return {
    ...spec,
    names: defaultNames(spec.names ?? {}),
    ...(made === undefined ? {} : { versions: made }),
    ...(version === "" && first !== "" ? { version: first } : {}),
    ...(reviews ? { conversion: { ...conversion, conversionReviewVersions: ["v1beta1"] } } : {}),
  };
}

function defaultNames(names: DefinitionNames): DefinitionNames {
  const { kind = "", singular = "", listKind = "" } = names;
  return {
    ...names,
    ...(singular === "" && kind !== "" ? { singular: kind.toLowerCase() } : {}),
    ...(listKind === "" && kind !== "" ? { listKind: `${kind}List` } : {}),
  };
}

type WithStorage = Pick<DefinitionVersion, "name" | "storage">;

interface Stored {
  readonly spec?: { readonly versions?: readonly WithStorage[] };
  readonly status?: DefinitionStatus;
}

function storageVersion({ spec }: Stored): string | undefined {
  return spec?.versions?.find((v) => v.storage === true)?.name;
}

/** An object that names no stored version has the one that is stored now. */
function withStored<T extends Stored>(object: T): T {
  return (object.status?.storedVersions ?? []).length > 0 ? object : withStorageVersion(object);
}

/** The versions in which objects may be stored: the storage version joins them, and leaves only by a status write. */
function withStorageVersion<T extends Stored>(object: T): T {
  const name = storageVersion(object);
  const stored = object.status?.storedVersions ?? [];
  if (name === undefined || stored.includes(name)) return object;
  return { ...object, status: { ...object.status, storedVersions: [...stored, name] } };
}
