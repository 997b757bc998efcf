import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { readJson } from "@orch/status/read-json.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type Data, decodedBytes, maxDataBytes, validateFrozen, validateKeys } from "./keyed-data.js";
import { tlsWarnings } from "./tls-warnings.js";

interface Secret extends ApiObject {
  readonly data?: Data;
  readonly stringData?: Data;
  readonly type?: string;
  readonly immutable?: boolean;
}

export const secret = behavior<Secret>((naming) => {
  const contentRule = contentRules(naming);
  const tls = naming.key("tls");
  return {
    setDefaults: mergeStringData,
    warnings: ({ type, data = {} }) => (type === tls ? tlsWarnings(data) : []),
    validate: (object) => [
      ...validateKeys(object.data ?? {}, "data"),
      ...(decodedBytes(object.data ?? {}) > maxDataBytes ? [fieldError.tooLong("data", maxDataBytes)] : []),
      ...(contentRule.get(object.type ?? "")?.(object) ?? []),
    ],
    validateUpdate: (object, old) => [
      ...(object.type === old.type ? [] : [fieldError.invalid("type", object.type ?? "", "field is immutable")]),
      ...validateFrozen(object, old, ["data"]),
    ],
  };
});

/** `stringData` is a way to write `data`: its entries win and it is never stored. */
function mergeStringData(object: Secret): Secret {
  const { stringData, ...rest } = object;
  if (stringData === undefined) return object;
  const entries = Object.entries(stringData).map(
    ([key, value]) => [key, Buffer.from(value).toString("base64")] as const,
  );
  return { ...rest, data: Object.fromEntries([...Object.entries(object.data ?? {}), ...entries]) };
}

/** What a type of secret must hold. */
function contentRules(naming: Naming): ReadonlyMap<string, (object: Secret) => FieldError[]> {
  const account = naming.key("service-account.name");
  const need =
    (...keys: readonly string[]) =>
    ({ data = {} }: Secret): FieldError[] =>
      keys.filter((key) => !Object.hasOwn(data, key)).map((key) => fieldError.required(`data[${key}]`));
  return new Map<string, (object: Secret) => FieldError[]>([
    [naming.key("tls"), need("tls.crt", "tls.key")],
    [
      naming.key("ssh-auth"),
      ({ data = {} }) => ((data["ssh-privatekey"] ?? "") === "" ? [fieldError.required("data[ssh-privatekey]")] : []),
    ],
    [
      naming.key("basic-auth"),
      (object) =>
        Object.hasOwn(object.data ?? {}, "username") ? [] : passwordOrBoth(object, need("username", "password")),
    ],
    [naming.key("dockercfg"), jsonUnder(".dockercfg")],
    [naming.key("dockerconfigjson"), jsonUnder(".dockerconfigjson")],
    [
      naming.key("service-account-token"),
      ({ metadata }) =>
        (metadata.annotations?.[account] ?? "") === "" ? [fieldError.required(`metadata.annotations[${account}]`)] : [],
    ],
  ]);
}

/** One of the two is enough; without either both are asked for. */
function passwordOrBoth(object: Secret, both: (object: Secret) => FieldError[]): FieldError[] {
  return Object.hasOwn(object.data ?? {}, "password") ? [] : both(object);
}

function jsonUnder(key: string): (object: Secret) => FieldError[] {
  const at = `data[${key}]`;
  return ({ data = {} }) => {
    const text = data[key];
    if (text === undefined) return [fieldError.required(at)];
    return holdsJsonObject(text) ? [] : [fieldError.invalid(at, "<secret contents redacted>", "must be a JSON object")];
  };
}

function holdsJsonObject(base64: string): boolean {
  try {
    return isObject(readJson(Buffer.from(base64, "base64").toString("utf8")));
  } catch {
    return false;
  }
}
