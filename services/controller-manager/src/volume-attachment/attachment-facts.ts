import { keyOf } from "@orch/client/object-store.js";
import { createGroups } from "../rim/groups.js";
import { byAge, isGoing } from "../rim/objects.js";
import { hasEnded, type Pod } from "../rim/pods.js";
import type { ControllerTools } from "../tools.js";
import { type Claim, claimKeyOf } from "../volume-binding/types.js";
import type { Attachment, AttachmentNode, AttachmentState } from "./decide-attachments.js";
import {
  attachmentName,
  type Driver,
  type DriverVolume,
  isExclusive,
  uniqueName,
  type VolumeAttachment,
  type VolumeNode,
} from "./types.js";

const forceAfterMs = 360_000;

export const volumeOf = ({ spec }: VolumeAttachment): string => spec?.source?.persistentVolumeName ?? "";

/** What attachments are decided by: what the server shows, and what was made and is not shown yet. */
export interface AttachmentFacts {
  stateOf(volume: DriverVolume): AttachmentState;
  /** Pods on nodes that use a volume which must be attached, the oldest first. */
  usersOf(volume: DriverVolume): readonly Pod[];
  attachmentsOf(volume: DriverVolume): readonly Attachment[];
  attachmentNamed(name: string): VolumeAttachment | undefined;
  /** Names of the attachments to a node. */
  onNode(node: string): readonly string[];
  /** Attachments to it are made by this controller, and not by its agent. */
  isManaged(node: VolumeNode): boolean;
  made(attachment: VolumeAttachment): void;
  shown(attachment: VolumeAttachment): void;
  forget(name: string): void;
}

export function createAttachmentFacts(
  { forces }: { readonly forces: boolean },
  { clock, informers, naming }: Pick<ControllerTools, "clock" | "informers" | "naming">,
): AttachmentFacts {
  const [pods, claims, nodes] = [informers.of("pods"), informers.of("persistentvolumeclaims"), informers.of("nodes")];
  const [drivers, attachments] = [informers.of("csidrivers"), informers.of("volumeattachments")];
  const managedKey = `volumes.${naming.key("controller-managed-attach-detach")}`;
  const outOfService = `node.${naming.key("out-of-service")}`;
  const byVolume = createGroups();
  const byNode = createGroups();
  const made = new Map<string, VolumeAttachment>();
  /** Since when attachments are not wanted. Milliseconds that only grow. */
  const unwantedSince = new Map<string, number>();

  const place = (attachment: VolumeAttachment): void => {
    byVolume.place(keyOf(attachment), volumeOf(attachment));
    byNode.place(keyOf(attachment), attachment.spec?.nodeName ?? "");
  };
  const isManaged = ({ metadata }: VolumeNode): boolean => metadata.annotations?.[managedKey] === "true";
  const attachmentNamed = (key: string): VolumeAttachment | undefined => attachments.store.get(key) ?? made.get(key);
  const attachmentsOf = (volume: DriverVolume): readonly Attachment[] =>
    byVolume.in(volume.metadata.name ?? "").flatMap((key) => {
      const found = attachmentNamed(key);
      if (found === undefined || found.spec?.attacher !== volume.spec?.csi?.driver) return [];
      const node = found.spec?.nodeName ?? "";
      const ours = key === attachmentName(volume, node);
      return [{ name: key, node, attached: found.status?.attached === true, going: isGoing(found), ours }];
    });
  const nodeFacts = (volume: string, of: string): AttachmentNode | undefined => {
    const node: VolumeNode | undefined = nodes.store.get(of);
    if (node === undefined) return undefined;
    const { volumesInUse = [], volumesAttached = [], conditions = [] } = node.status ?? {};
    return {
      managed: isManaged(node),
      ready: conditions.some(({ type, status }) => type === "Ready" && status === "True"),
      outOfService: (node.spec?.taints ?? []).some(({ key }) => key === outOfService),
      inUse: volumesInUse.includes(volume),
      reported: volumesAttached.some((each) => each.name === volume),
    };
  };
  /** Pods on nodes that use a volume, the oldest first. */
  const usersOf = (volume: DriverVolume): readonly Pod[] => {
    const ref = volume.spec?.claimRef;
    const claim: Claim | undefined = ref === undefined ? undefined : claims.store.get(claimKeyOf(ref));
    if (claim === undefined || claim.spec?.volumeName !== volume.metadata.name) return [];
    const driver: Driver | undefined = drivers.store.get(volume.spec?.csi?.driver ?? "");
    if (driver?.spec?.attachRequired === false) return [];
    const all: readonly Pod[] = [...pods.usingClaim(keyOf(claim))];
    return all.filter((pod) => (pod.spec?.nodeName ?? "") !== "" && !hasEnded(pod)).sort(byAge);
  };
  const stateOf = (volume: DriverVolume): AttachmentState => {
    const unique = uniqueName(volume, naming);
    const wanted = [...new Set(usersOf(volume).map(({ spec }) => spec?.nodeName ?? ""))];
    const present = attachmentsOf(volume);
    for (const { name, node } of present) {
      if (wanted.includes(node)) unwantedSince.delete(name);
      else if (!unwantedSince.has(name)) unwantedSince.set(name, clock.monotonic());
    }
    return {
      wanted,
      attachments: present,
      nodeNamed: (of) => nodeFacts(unique, of),
      exclusive: isExclusive(volume),
      unwantedMs: (of) => clock.monotonic() - (unwantedSince.get(of) ?? clock.monotonic()),
      forceAfterMs: forces ? forceAfterMs : undefined,
    };
  };
  return {
    ...{ stateOf, usersOf, attachmentsOf, attachmentNamed, isManaged },
    onNode: (node) => byNode.in(node),
    made(attachment) {
      made.set(keyOf(attachment), attachment);
      place(attachment);
    },
    shown(attachment) {
      made.delete(keyOf(attachment));
      place(attachment);
    },
    forget(name) {
      made.delete(name);
      unwantedSince.delete(name);
      byVolume.place(name, undefined);
      byNode.place(name, undefined);
    },
  };
}
