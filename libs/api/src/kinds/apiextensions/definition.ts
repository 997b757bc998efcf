import { validations } from "@orch/schema/structural/json-schema.js";
import { behavior } from "../../behavior.js";
import { allButStatus, statusOnly } from "../shared/status-only.js";
import {
  validateApproval,
  validateDefinition,
  validateDefinitionStatus,
  validateFixed,
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
export const customResourceDefinition = behavior<CustomResourceDefinition>((naming) => ({
  setDefaults: (object) =>
    object.spec === undefined ? object : withStored({ ...object, spec: defaultSpec(object.spec) }),
  prepareForCreate: (object) => withStorageVersion(object),
  prepareForUpdate: (object) => withStorageVersion(object),
  validateCreate(object, asked) {
    const strictness = strictnessOfCreate(asked, naming);
    return [
      ...validateDefinition(object, strictness),
      ...(strictness.approval ? validateApproval(object, undefined, naming) : []),
    ];
  },
  validateUpdate(object, old, asked) {
    const strictness = strictnessOfUpdate(asked, old, naming);
    return [
      ...validateDefinition(object, strictness),
      ...validateFixed(object, old, strictness),
      ...(strictness.approval ? validateApproval(object, old, naming) : []),
    ];
  },
  warnings: notEnforced,
  parts: { status: { resets: allButStatus, prepare: statusOnly, validate: validateDefinitionStatus } },
}));

/** What a definition asks for in vain, so far. */
function* notEnforced({ spec }: CustomResourceDefinition): Generator<string> {
  if (mentions(spec, validations)) {
    yield `${validations} is stored and not enforced yet: no expressions are evaluated`;
  }
  if (spec?.conversion?.strategy === "Webhook") {
    yield "conversion by a webhook is stored and not enforced yet: objects of other versions differ by apiVersion alone";
  }
}

function mentions(root: unknown, name: string): boolean {
  const waiting = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Object.hasOwn(value, name)) return true;
    for (const below of Object.values(value)) if (below !== undefined) waiting.push(below);
  }
  return false;
}

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
