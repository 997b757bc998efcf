import type { NodeFilter, Plugin } from "../../framework/plugin.js";
import { skip, unresolvable, unschedulable } from "../../framework/status.js";
import type { NodeInfo } from "../../model/node-info.js";
import type { RawVolume } from "../../model/objects.js";
import type { PodInfo } from "../../model/pod-info.js";
import { claimsOf, listedClaimsOf } from "./claims.js";

const name = "VolumeRestrictions";
const diskTaken = unschedulable(name, "node(s) had no available disk");
const claimTaken = unschedulable(
  name,
  "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
);

/** Disks that only one node, and claims that only one pod, may use at a time. */
export const volumeRestrictions: Plugin = {
  name,
  preFilter: ({ pod, cluster }) => {
    const disks = pod.volumes.filter(isDisk);
    const exclusive: string[] = [];
    for (const { key, name: claimName } of listedClaimsOf(pod)) {
      const claim = cluster.objects.PersistentVolumeClaim.get(key);
      if (claim === undefined)
        return unresolvable(name, `persistentvolumeclaim ${JSON.stringify(claimName)} not found`);
      if (claim.spec?.accessModes?.includes("ReadWriteOncePod") === true) exclusive.push(key);
    }
    if (disks.length === 0 && exclusive.length === 0) return skip;
    const users = exclusive.reduce((sum, key) => sum + cluster.podsWithClaim(key), 0);
    return { code: "Ready", filter: filterWith(disks, exclusive, users) };
  },
  filter: "prepared",
  events: [
    {
      resource: "AssignedPod",
      actions: ["Delete"],
      hint: (pod, event) => event.resource === "AssignedPod" && event.before !== undefined && shares(pod, event.before),
    },
    { resource: "PersistentVolumeClaim", actions: ["Add"] },
  ],
};

function filterWith(disks: readonly RawVolume[], exclusive: readonly string[], users: number): NodeFilter {
  const filter = ({ pods }: NodeInfo) => {
    if (disks.length > 0 && pods.some(({ volumes }) => volumes.some((held) => disks.some((d) => clash(d, held))))) {
      return diskTaken;
    }
    return users > 0 ? claimTaken : undefined;
  };
  const changed = (_: NodeInfo, pod: PodInfo, by: 1 | -1): NodeFilter => {
    const used = claimsOf(pod).filter(({ key }) => exclusive.includes(key)).length;
    return used === 0 ? filterWith(disks, exclusive, users) : filterWith(disks, exclusive, users + by * used);
  };
  return Object.assign(filter, { changed });
}

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: RawVolume): boolean =>
  gcePersistentDisk !== undefined || awsElasticBlockStore !== undefined || iscsi !== undefined || rbd !== undefined;

/** The same disk twice, where not both only read it. */
export function clash(a: RawVolume, b: RawVolume): boolean {
  const both = (x: { readonly readOnly?: boolean }, y: { readonly readOnly?: boolean }): boolean =>
    x.readOnly === true && y.readOnly === true;
  if (a.gcePersistentDisk !== undefined && b.gcePersistentDisk !== undefined) {
    const [x, y] = [a.gcePersistentDisk, b.gcePersistentDisk];
    if (x.pdName === y.pdName && !both(x, y)) return true;
  }
  if (a.awsElasticBlockStore !== undefined && b.awsElasticBlockStore !== undefined) {
    if (a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID) return true;
  }
  if (a.iscsi !== undefined && b.iscsi !== undefined) {
    if (a.iscsi.iqn === b.iscsi.iqn && !both(a.iscsi, b.iscsi)) return true;
  }
  if (a.rbd === undefined || b.rbd === undefined) return false;
  const monitors = new Set(a.rbd.monitors);
  const isSame = a.rbd.pool === b.rbd.pool && a.rbd.image === b.rbd.image;
  return isSame && (b.rbd.monitors ?? []).some((m) => monitors.has(m)) && !both(a.rbd, b.rbd);
}

function shares(pod: PodInfo, gone: PodInfo): boolean {
  const keys = new Set(claimsOf(pod).map(({ key }) => key));
  return (
    claimsOf(gone).some(({ key }) => keys.has(key)) || pod.volumes.some((a) => gone.volumes.some((b) => clash(a, b)))
  );
}
