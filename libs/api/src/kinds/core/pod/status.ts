import { ip, parseAddress } from "@orch/schema/formats/ip.js";
import { dnsSubdomain, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { Part } from "../../../behavior.js";
import { immutable, invalidFor } from "../../shared/problems.js";
import { repeatsIn } from "../../shared/repeats.js";
import type { PodAnnotationKeys } from "./annotation-keys.js";
import { validateAnnotationUpdates, validatePodAnnotations } from "./annotations.js";
import { each } from "./errors.js";
import type { ContainerStatus, PodCondition } from "./status-types.js";
import type { Pod, PodSpec, PodStatus } from "./types.js";

/** Writes of a pod's status: by the node that runs it, and by whoever judges its conditions. */
export function statusPart(keys: PodAnnotationKeys): Part<Pod> {
  return {
    resets: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
    prepare: (object, old) => {
      const { ownerReferences: _, ...metadata } = object.metadata;
      const { ownerReferences } = old.metadata;
      const qosClass = object.status?.qosClass ?? old.status?.qosClass;
      return {
        ...old,
        // Old nodes spoil the owners, on which garbage collection depends.
        metadata: { ...metadata, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
        status: { ...withAddresses(object.status ?? {}), ...(qosClass === undefined ? {} : { qosClass }) },
      };
    },
    validate: (object, old) => [
      ...validateMetadataUpdate(object, old, keys),
      ...validateStatus(object.status ?? {}, old.status ?? {}, old.spec ?? {}),
    ],
  };
}

/** Annotations of a pod that has been there, through whatever subresource. */
export function validateMetadataUpdate(object: Pod, old: Pod, keys: PodAnnotationKeys): FieldError[] {
  const { annotations = {} } = object.metadata;
  const place = { keys, at: "metadata.annotations" };
  return [
    ...validateAnnotationUpdates(annotations, old.metadata.annotations ?? {}, place),
    ...validatePodAnnotations(annotations, object.spec ?? {}, place),
  ];
}

/** `podIP` is the first of `podIPs`: each is made of the other, and where they differ the older field is right. */
export function withAddresses(status: PodStatus): PodStatus {
  const { podIP = "", podIPs = [] } = status;
  const first = podIPs[0]?.ip ?? "";
  if (podIP === first) return status;
  if (podIP === "") return { ...status, podIP: first };
  return { ...status, podIPs: [{ ip: podIP }] };
}

function validateStatus(status: PodStatus, old: PodStatus, spec: PodSpec): FieldError[] {
  const { nominatedNodeName: node = "" } = status;
  const { restartPolicy = "Always", initContainers = [] } = spec;
  const sidecars = new Set(initContainers.filter((c) => c.restartPolicy === "Always").map((c) => c.name));
  const terminated = (list: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses") => ({
    statuses: status[list] ?? [],
    old: old[list] ?? [],
    at: `status.${list}`,
  });
  return [
    ...validateConditions(status.conditions),
    ...(node !== "" && node !== old.nominatedNodeName
      ? invalidFor("status.nominatedNodeName", node, dnsSubdomain(node))
      : []),
    ...(status.qosClass === old.qosClass ? [] : [fieldError.invalid("status.qosClass", status.qosClass, immutable)]),
    ...validateEnded(terminated("containerStatuses"), { restartPolicy, sidecars: none }),
    ...validateEnded(terminated("initContainerStatuses"), { restartPolicy, sidecars }),
    ...validateEnded(terminated("ephemeralContainerStatuses"), { restartPolicy: "Never", sidecars: none }),
    ...validateClaimStatuses(status, spec),
    ...validateAddresses(status.podIPs, "status.podIPs"),
    ...validateHostAddresses(status),
    ...validateUsers(status, spec),
  ];
}

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

/** At the metadata's path, as in the reference. */
function validateConditions(conditions: readonly PodCondition[] | undefined): FieldError[] {
  return each(conditions, "metadata.conditions", ({ type = "" }, at) =>
    systemConditions.includes(type) ? [] : invalidFor(`${at}.Type`, type, qualifiedName(type)),
  );
}

interface Ended {
  readonly statuses: readonly ContainerStatus[];
  readonly old: readonly ContainerStatus[];
  readonly at: string;
}

interface Restarts {
  readonly restartPolicy: string;
  readonly sidecars: ReadonlySet<string | undefined>;
}

const none: ReadonlySet<string | undefined> = new Set();

/** A container that has ended and is not to be started again stays ended. */
function validateEnded({ statuses, old, at }: Ended, { restartPolicy, sidecars }: Restarts): FieldError[] {
  if (restartPolicy === "Always") return [];
  const going = new Set(statuses.filter((s) => s.state?.terminated === undefined).map((s) => s.name));
  return old.flatMap(({ name, state }, i) => {
    const ended = state?.terminated;
    if (ended === undefined || sidecars.has(name)) return [];
    if ((ended.exitCode ?? 0) !== 0 && restartPolicy === "OnFailure") return [];
    return going.has(name)
      ? [fieldError.forbidden(`${at}[${i}].state`, "may not be transitioned to non-terminated state")]
      : [];
  });
}

function validateClaimStatuses({ resourceClaimStatuses }: PodStatus, spec: PodSpec): FieldError[] {
  const claims = new Set((spec.resourceClaims ?? []).map((c) => c.name));
  const repeats = repeatsIn((resourceClaimStatuses ?? []).map((s) => s.name ?? ""));
  return each(resourceClaimStatuses, "status.resourceClaimStatuses", ({ name = "", resourceClaimName }, at, i) => [
    ...(claims.has(name)
      ? []
      : [fieldError.invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`")]),
    ...(repeats.has(i) ? [fieldError.duplicate(`${at}.name`, name)] : []),
    ...(resourceClaimName === undefined
      ? []
      : invalidFor(`${at}.name`, resourceClaimName, dnsSubdomain(resourceClaimName))),
  ]);
}

/** At most one address of each family. */
function validateAddresses(list: PodStatus["podIPs"], at: string): FieldError[] {
  const addresses = (list ?? []).map((a) => a.ip ?? "");
  const repeats = repeatsIn(addresses);
  const families = new Set(addresses.map((a) => parseAddress(a)?.length));
  return [
    ...addresses.flatMap((address, i) => invalidFor(`${at}[${i}]`, address, ip(address))),
    ...(families.size < addresses.length
      ? [fieldError.invalid(at, list, "may specify no more than one IP for each IP family")]
      : []),
    ...addresses.flatMap((_, i) => (repeats.has(i) ? [fieldError.duplicate(`${at}[${i}]`, list?.[i])] : [])),
  ];
}

function validateHostAddresses({ hostIP = "", hostIPs = [] }: PodStatus): FieldError[] {
  if (hostIPs.length === 0) return [];
  const first = hostIPs[0]?.ip ?? "";
  return [
    ...(hostIP === first ? [] : [fieldError.invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`")]),
    ...validateAddresses(hostIPs, "status.hostIPs"),
  ];
}

const largestId = 2147483647;

/** Whom the processes of containers run as; there is no such user on Windows. */
function validateUsers(status: PodStatus, spec: PodSpec): FieldError[] {
  const lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;
  return lists.flatMap((list) =>
    each(status[list], `status.${list}`, ({ user }, at) => {
      const linux = user?.linux;
      if (linux === undefined) return [];
      const place = `${at}.linux`;
      if (spec.os?.name === "windows") return [fieldError.forbidden(place, "cannot be set for a windows pod")];
      const id = (value: number, field: string) =>
        value < 0 || value > largestId
          ? [fieldError.invalid(`${place}.${field}`, value, `must be between 0 and ${largestId}, inclusive`)]
          : [];
      return [
        ...id(linux.uid ?? 0, "uid"),
        ...id(linux.gid ?? 0, "gid"),
        ...(linux.supplementalGroups ?? []).flatMap((group, i) => id(group, `supplementalGroups[${i}]`)),
      ];
    }),
  );
}
