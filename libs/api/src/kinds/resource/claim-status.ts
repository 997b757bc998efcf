import { equalJson, jsonKey } from "@orch/schema/equal.js";
import { formatAddress, parseNetwork } from "@orch/schema/formats/ip.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type NodeSelector, validateNodeSelector } from "../core/node-selector.js";
import { type Condition, validateConditions } from "../shared/conditions.js";
import { validateDriverName } from "../shared/driver-name.js";
import { immutable } from "../shared/problems.js";
import {
  type RequestConfiguration,
  validateConfiguration,
  validateParameters,
  validateRequestRef,
  validateRequestRefs,
} from "./devices.js";
import { maxItems, validateList } from "./lists.js";
import { validateLabel, validatePoolName } from "./names.js";

interface DeviceId {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

interface Allocation {
  readonly devices?: {
    readonly results?: readonly (DeviceId & { readonly request?: string; readonly adminAccess?: boolean })[];
    readonly config?: readonly (RequestConfiguration & { readonly source?: string })[];
  };
  readonly nodeSelector?: NodeSelector;
}

interface NetworkData {
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
  readonly hardwareAddress?: string;
}

interface DeviceStatus extends DeviceId {
  readonly conditions?: readonly Condition[];
  readonly data?: unknown;
  readonly networkData?: NetworkData;
}

interface Consumer {
  readonly resource?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface ClaimStatus {
  readonly allocation?: Allocation;
  readonly reservedFor?: readonly Consumer[];
  readonly devices?: readonly DeviceStatus[];
}

const maxConsumers = 256;
const maxConditions = 8;
const maxAddresses = 16;
const maxInterfaceNameBytes = 256;
const maxHardwareAddressBytes = 128;
const sources = ["FromClaim", "FromClass"];

const idOf = ({ driver = "", pool = "", device = "" }: DeviceId): string => `${driver}/${pool}/${device}`;

function allocated(status: ClaimStatus): ReadonlySet<string> {
  return new Set((status.allocation?.devices?.results ?? []).map(idOf));
}

/** What drivers tell of a device goes when the device is given back. */
export function withoutReturnedDevices(status: ClaimStatus, old: ClaimStatus): ClaimStatus {
  const { devices, ...rest } = status;
  const before = allocated(old);
  const now = allocated(status);
  const kept = devices?.filter((device) => now.has(idOf(device)) || !before.has(idOf(device))) ?? [];
  return kept.length === 0 ? rest : { ...rest, devices: kept };
}

/** Results of requests that may not ask for access to others' devices. */
export function withoutAdminResults(status: ClaimStatus): ClaimStatus {
  const { allocation } = status;
  const { results } = allocation?.devices ?? {};
  if (!results?.some((result) => result.adminAccess !== undefined)) return status;
  const plain = results.map(({ adminAccess: _dropped, ...result }) => result);
  return { ...status, allocation: { ...allocation, devices: { ...allocation?.devices, results: plain } } };
}

interface ClaimState {
  readonly isDeleted: boolean;
  readonly requests: ReadonlySet<string>;
}

export function validateClaimStatus(status: ClaimStatus, old: ClaimStatus, state: ClaimState): FieldError[] {
  const devices = allocated(status);
  return [
    ...validateList(status.reservedFor ?? [], {
      at: "status.reservedFor",
      max: maxConsumers,
      each: validateConsumer,
      key: ({ uid = "" }) => uid,
      keyAt: "uid",
    }),
    ...validateList(status.devices ?? [], {
      at: "status.devices",
      each: (device, at) => validateDevice(device, at, devices),
      key: idOf,
      keyAt: "deviceID",
    }),
    ...validateReservation(status, old, state),
    ...validateAllocation(status, old, state),
  ];
}

function validateConsumer(consumer: Consumer, at: string): FieldError[] {
  return (["resource", "name", "uid"] as const)
    .filter((name) => (consumer[name] ?? "") === "")
    .map((name) => fieldError.required(`${at}.${name}`));
}

/** Who uses a claim, which must be allocated, and gets no new users when it goes. */
function validateReservation(status: ClaimStatus, old: ClaimStatus, { isDeleted }: ClaimState): FieldError[] {
  const { reservedFor = [], allocation } = status;
  const at = "status.reservedFor";
  if (reservedFor.length === 0) return [];
  if (allocation === undefined) {
    return [fieldError.forbidden(at, "may not be specified when `allocated` is not set")];
  }
  const before = new Set((old.reservedFor ?? []).map(jsonKey));
  const isNew = (consumer: Consumer) => !before.has(jsonKey(consumer));
  return isDeleted && reservedFor.some(isNew)
    ? [
        fieldError.forbidden(
          at,
          "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
        ),
      ]
    : [];
}

function validateAllocation({ allocation }: ClaimStatus, old: ClaimStatus, { requests }: ClaimState): FieldError[] {
  const at = "status.allocation";
  if (allocation === undefined) return [];
  if (old.allocation !== undefined) {
    return equalJson(allocation, old.allocation) ? [] : [fieldError.invalid(at, allocation, immutable)];
  }
  const { devices: { results = [], config = [] } = {}, nodeSelector } = allocation;
  return [
    ...validateList(results, {
      at: `${at}.devices.results`,
      max: maxItems,
      each: (result, path) => [
        ...validateRequestRef(result.request ?? "", `${path}.request`, requests),
        ...validateId(result, path),
      ],
    }),
    ...validateList(config, {
      at: `${at}.devices.config`,
      // A class's and a claim's.
      max: 2 * maxItems,
      each: (configuration, path) => [
        ...validateSource(configuration.source ?? "", `${path}.source`),
        ...validateRequestRefs(configuration.requests ?? [], `${path}.requests`, requests),
        ...validateConfiguration(configuration, path, false),
      ],
    }),
    ...(nodeSelector === undefined ? [] : validateNodes(nodeSelector, `${at}.nodeSelector`)),
  ];
}

function validateSource(source: string, at: string): FieldError[] {
  if (source === "") return [fieldError.required(at)];
  return sources.includes(source) ? [] : [fieldError.notSupported(at, source, sources)];
}

function validateNodes(selector: NodeSelector, at: string): FieldError[] {
  return (selector.nodeSelectorTerms ?? []).length === 0
    ? [fieldError.required(`${at}.nodeSelectorTerms`, "must have at least one node selector term")]
    : validateNodeSelector(selector, at, { values: true });
}

function validateId({ driver = "", pool = "", device = "" }: DeviceId, at: string): FieldError[] {
  return [
    ...validateDriverName(driver, `${at}.driver`),
    ...validatePoolName(pool, `${at}.pool`),
    ...validateLabel(device, `${at}.device`),
  ];
}

function validateDevice(device: DeviceStatus, at: string, devices: ReadonlySet<string>): FieldError[] {
  const { conditions = [], data, networkData } = device;
  const id = idOf(device);
  return [
    ...validateId(device, at),
    ...(devices.has(id) ? [] : [fieldError.invalid(at, id, "must be an allocated device in the claim")]),
    ...(conditions.length > maxConditions
      ? [fieldError.tooMany(`${at}.conditions`, conditions.length, maxConditions)]
      : []),
    ...validateConditions(conditions, `${at}.conditions`),
    ...(data === undefined ? [] : validateParameters(data, `${at}.data`, false)),
    ...(networkData === undefined ? [] : validateNetworkData(networkData, `${at}.networkData`)),
  ];
}

function validateNetworkData(data: NetworkData, at: string): FieldError[] {
  const { interfaceName = "", hardwareAddress = "", ips = [] } = data;
  return [
    ...(Buffer.byteLength(interfaceName) > maxInterfaceNameBytes
      ? [fieldError.tooLong(`${at}.interfaceName`, maxInterfaceNameBytes)]
      : []),
    ...(Buffer.byteLength(hardwareAddress) > maxHardwareAddressBytes
      ? [fieldError.tooLong(`${at}.hardwareAddress`, maxHardwareAddressBytes)]
      : []),
    ...validateList(ips, {
      at: `${at}.ips`,
      max: maxAddresses,
      each: (address, path) =>
        parseNetwork(address) === undefined
          ? [fieldError.invalid(path, address, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")]
          : [],
      key: canonicalAddress,
    }),
  ];
}

/** `2001:0db8::1/64` is `2001:db8::1/64`. */
function canonicalAddress(text: string): string {
  const network = parseNetwork(text);
  return network === undefined ? "" : `${formatAddress(network.address)}/${network.bits}`;
}
