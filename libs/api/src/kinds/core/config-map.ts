import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type Data, decodedBytes, maxDataBytes, textBytes, validateFrozen, validateKeys } from "./keyed-data.js";

interface ConfigMap extends ApiObject {
  readonly data?: Data;
  readonly binaryData?: Data;
  readonly immutable?: boolean;
}

export const configMap = behavior<ConfigMap>(() => ({
  validate: ({ data = {}, binaryData = {} }) => [
    ...validateKeys(data, "data"),
    ...shared(data, binaryData, ["data", "binaryData"]),
    ...validateKeys(binaryData, "binaryData"),
    ...shared(binaryData, data, ["binaryData", "data"]),
    // The error is about the whole object: the reference's path for that is `[]`.
    ...(textBytes(data) + decodedBytes(binaryData) > maxDataBytes ? [fieldError.tooLong("[]", maxDataBytes)] : []),
  ],
  validateUpdate: (object, old) => validateFrozen(object, old, ["data", "binaryData"]),
}));

function shared(data: Data, other: Data, [at, there]: readonly [string, string]): FieldError[] {
  return Object.keys(data)
    .filter((key) => Object.hasOwn(other, key))
    .map((key) => fieldError.invalid(`${at}[${key}]`, key, `duplicate of key present in ${there}`));
}
