import { enoughErrors } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { isObject, type JsonObject, type Type } from "../descriptor.js";
import { dns1035Label } from "../formats/names.js";
import { type ObjectMeta, validateObjectMeta } from "../object-meta.js";
import { type Path, pathText } from "../path.js";
import { stepTo } from "./check-lists.js";
import { itemType, memberType } from "./members.js";

/**
 * Everything wrong with how whole objects inside a value name themselves, and with their metadata. `isWhole`: the value
 * itself is one, whatever its schema says.
 */
export function checkEmbedded(type: Type, value: unknown, at?: Path, isWhole = false): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isWhole && isObject(value)) checkWhole(errors, value, at);
  below(errors, type, value, at);
  return errors;
}

function below(errors: FieldError[], type: Type, value: unknown, at: Path | undefined): void {
  if (type.rules?.below.embedded !== true || errors.length >= enoughErrors) return;
  if (Array.isArray(value)) {
    const item = itemType(type);
    if (item === undefined) return;
    for (const [i, v] of value.entries()) below(errors, item, v, { up: at, step: i });
  } else if (isObject(value)) {
    if (isEmbedded(type)) checkWhole(errors, value, at);
    for (const name of Object.keys(value)) {
      const member = memberType(type, name);
      if (member !== undefined) below(errors, member.type, value[name], { up: at, step: stepTo(name, member.named) });
    }
  }
}

function isEmbedded(type: Type): boolean {
  const form = type.kind === "any" ? type.forms?.object : type;
  return form?.rules?.embedded === true;
}

function checkWhole(errors: FieldError[], object: JsonObject, at: Path | undefined): void {
  const path = (name: string): string => pathText({ up: at, step: name });
  checkName(errors, object["apiVersion"], path("apiVersion"), versionProblem);
  checkName(errors, object["kind"], path("kind"), kindProblem);
  const { metadata } = object;
  if (isObject(metadata)) checkMetadata(errors, metadata, at);
}

function checkName(
  errors: FieldError[],
  name: unknown,
  at: string,
  problemOf: (name: string) => string | undefined,
): void {
  const empty = "must not be empty";
  if (name === undefined) errors.push(fieldError.required(at, empty));
  else if (typeof name !== "string") errors.push(fieldError.invalid(at, name, "must be a string"));
  else if (name === "") errors.push(fieldError.invalid(at, name, empty));
  else {
    const problem = problemOf(name);
    if (problem !== undefined) errors.push(fieldError.invalid(at, name, problem));
  }
}

function versionProblem(name: string): string | undefined {
  return name.indexOf("/") === name.lastIndexOf("/") ? undefined : `unexpected GroupVersion string: ${name}`;
}

function kindProblem(name: string): string | undefined {
  const problems = dns1035Label(name.toLowerCase());
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(",")}`;
}

/** It may have any name, or none: what it is part of has one. */
function checkMetadata(errors: FieldError[], metadata: JsonObject, at: Path | undefined): void {
  const meta: ObjectMeta = metadata;
  const named = meta.name === undefined || meta.name === "" ? { ...meta, name: "name" } : meta;
  const namespaced = (meta.namespace ?? "") !== "";
  for (const error of validateObjectMeta(named, { namespaced, nameFormat: "pathSegment", standardFinalizers: [] })) {
    errors.push({
      reason: error.reason,
      // The text of a large value is made when somebody reads it.
      get message() {
        return error.message;
      },
      field: pathText({ up: at, step: error.field }),
    });
  }
}
