import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import { type NodeSelector, validateNodeSelector } from "../core/node-selector.js";
import { validateDriverName } from "../shared/driver-name.js";
import { invalidFor, nothing } from "../shared/problems.js";
import { parseSemanticVersion } from "../shared/semantic-version.js";
import { validateList } from "./lists.js";
import { validateLabel, validatePoolName, validateQualifiedName } from "./names.js";

/** Exactly one of its values is set. */
interface Attribute {
  readonly int?: number;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
}

interface Device {
  readonly name?: string;
  readonly basic?: {
    readonly attributes?: Readonly<Record<string, Attribute>>;
    readonly capacity?: Readonly<Record<string, unknown>>;
  };
}

interface Spec {
  readonly driver?: string;
  readonly pool?: { readonly name?: string; readonly generation?: number; readonly resourceSliceCount?: number };
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
}

interface ResourceSlice extends ApiObject {
  readonly spec?: Spec;
}

const maxDevices = 128;
const maxAttributes = 32;
const maxValueBytes = 64;
const maxKeyLength = 63 + 1 + 32;

/** What cannot change is data. */
export const resourceSlice = behavior<ResourceSlice>(() => ({
  validate: ({ spec = {} }) => [
    ...validateDriverName(spec.driver ?? "", "spec.driver"),
    ...validatePool(spec.pool ?? {}, "spec.pool"),
    ...validateNodes(spec),
    ...validateList(spec.devices ?? [], {
      at: "spec.devices",
      max: maxDevices,
      each: validateDevice,
      key: ({ name = "" }) => name,
      keyAt: "name",
    }),
  ],
}));

function validatePool(pool: NonNullable<Spec["pool"]>, at: string): FieldError[] {
  const { name = "", generation = 0, resourceSliceCount: count = 0 } = pool;
  return [
    ...validatePoolName(name, `${at}.name`),
    ...(count > 0 ? [] : [fieldError.invalid(`${at}.resourceSliceCount`, count, "must be greater than zero")]),
    ...(generation < 0
      ? [fieldError.invalid(`${at}.generation`, generation, "must be greater than or equal to zero")]
      : []),
  ];
}

/** Where the devices are: on one node, on some, on all. */
function validateNodes({ nodeName = "", nodeSelector, allNodes = false }: Spec): FieldError[] {
  const ways = [nodeName !== "", nodeSelector !== undefined, allNodes].filter((given) => given).length;
  const one = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required";
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  return [
    ...(nodeName === "" ? [] : invalidFor("spec.nodeName", nodeName, dnsSubdomain(nodeName))),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, "spec.nodeSelector", { values: true })),
    ...(nodeSelector !== undefined && terms.length !== 1
      ? [fieldError.invalid("spec.nodeSelector.nodeSelectorTerms", terms, "must have exactly one node selector term")]
      : []),
    ...(ways === 0 ? [fieldError.required("spec", one)] : []),
    ...(ways > 1 ? [fieldError.invalid("spec", nothing, one)] : []),
  ];
}

function validateDevice({ name = "", basic }: Device, at: string): FieldError[] {
  return [
    ...validateLabel(name, `${at}.name`),
    ...(basic === undefined ? [fieldError.required(`${at}.basic`)] : validateBasic(basic, `${at}.basic`)),
  ];
}

function validateBasic({ attributes = {}, capacity = {} }: NonNullable<Device["basic"]>, at: string): FieldError[] {
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  return [
    ...Object.entries(attributes).flatMap(([key, attribute]) => [
      ...validateQualifiedName(key, `${at}.attributes[${shortened(key)}]`),
      ...validateAttribute(attribute, `${at}.attributes[${shortened(key)}]`),
    ]),
    ...Object.keys(capacity).flatMap((key) => validateQualifiedName(key, `${at}.capacity[${shortened(key)}]`)),
    ...(count > maxAttributes
      ? [
          fieldError.invalid(
            at,
            count,
            `the total number of attributes and capacities must not exceed ${maxAttributes}`,
          ),
        ]
      : []),
  ];
}

/** A key that is too long loses its middle where a path names it. */
function shortened(key: string): string {
  if (key.length <= maxKeyLength) return key;
  const kept = maxKeyLength - 3;
  return `${key.slice(0, Math.ceil(kept / 2))}...${key.slice(key.length - Math.floor(kept / 2))}`;
}

function validateAttribute(attribute: Attribute, at: string): FieldError[] {
  const { version } = attribute;
  const one = "exactly one value must be specified";
  const count = (["int", "bool", "string", "version"] as const).filter((name) => attribute[name] !== undefined).length;
  return [
    ...(version !== undefined && parseSemanticVersion(version) === undefined
      ? [fieldError.invalid(`${at}.version`, version, "must be a string compatible with semver.org spec 2.0.0")]
      : []),
    ...(["string", "version"] as const).flatMap((name) =>
      Buffer.byteLength(attribute[name] ?? "") > maxValueBytes
        ? [fieldError.tooLong(`${at}.${name}`, maxValueBytes)]
        : [],
    ),
    ...(count === 0 ? [fieldError.required(at, one)] : []),
    ...(count > 1 ? [fieldError.invalid(at, attribute, one)] : []),
  ];
}
