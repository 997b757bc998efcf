import { equalJson } from "@orch/schema/equal.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { validateDriverName } from "../shared/driver-name.js";
import { immutable, invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";

interface Driver {
  readonly name?: string;
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[];
}

interface CsiNode extends ApiObject {
  readonly spec?: { readonly drivers?: readonly Driver[] };
}

const maxNodeIdBytes = 256;

export const csiNode = behavior<CsiNode>(() => ({
  validate: ({ spec = {} }) => {
    const drivers = spec.drivers ?? [];
    const repeats = repeatsIn(drivers.map(({ name = "" }) => name));
    return drivers.flatMap((driver, i) =>
      validateDriver(driver, { at: `spec.drivers[${i}]`, repeated: repeats.has(i) }),
    );
  },
  // An entry may go and come back; it may not change while it stands.
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => {
    const drivers = new Map((spec.drivers ?? []).map((driver) => [driver.name, driver]));
    return (old.drivers ?? []).flatMap((before) => {
      const driver = drivers.get(before.name);
      return driver === undefined || equalJson(driver, before)
        ? []
        : [fieldError.invalid("CSINodeDriver", driver, immutable)];
    });
  },
}));

interface Place {
  readonly at: string;
  readonly repeated: boolean;
}

function validateDriver(driver: Driver, { at, repeated }: Place): FieldError[] {
  const { name = "", nodeID = "", topologyKeys = [] } = driver;
  const repeatedKeys = repeatsIn(topologyKeys);
  return [
    ...validateDriverName(name, `${at}.name`),
    ...(nodeID === "" ? [fieldError.required(`${at}.nodeID`)] : []),
    ...(Buffer.byteLength(nodeID) > maxNodeIdBytes
      ? [fieldError.invalid(`${at}.nodeID`, nodeID, `must be ${maxNodeIdBytes} characters or less`)]
      : []),
    ...(repeated ? [fieldError.duplicate(`${at}.name`, name)] : []),
    ...topologyKeys.flatMap((key, i) => [
      ...(key === "" ? [fieldError.required(at)] : []),
      ...(repeatedKeys.has(i) ? [fieldError.duplicate(at, key)] : []),
      ...invalidFor(at, key, qualifiedName(key)),
    ]),
  ];
}
