import type { ApiObject } from "@orch/client/objects.js";
import { createShare, defined } from "@orch/client/shared-values.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import type { RawContainer, RawMeta, RawPod, RawToleration, RawVolume } from "@orch/scheduling/model/objects.js";
import { trusted } from "./sources.js";

type Spec = NonNullable<RawPod["spec"]>;
type Affinity = NonNullable<Spec["affinity"]>;

/**
 * What is kept of a pod. Of one that has a node, and there are very many of them, only what decisions about others read: neither
 * what its containers run, nor what became of them; and what pods of a template have alike is kept once. `whole`: others are asked
 * about pods, who may read anything.
 */
export function createPodKeeper({ whole }: { readonly whole: boolean }): (object: ApiObject) => ApiObject {
  if (whole) return withoutManagers;
  const labels = createShare<NonNullable<RawMeta["labels"]>>();
  const owners = createShare<NonNullable<RawMeta["ownerReferences"]>>();
  const containers = createShare<readonly RawContainer[]>();
  const affinity = createShare<Affinity>();
  const tolerations = createShare<readonly RawToleration[]>();
  const spread = createShare<NonNullable<Spec["topologySpreadConstraints"]>>();
  const selector = createShare<NonNullable<Spec["nodeSelector"]>>();
  const conditions = createShare<NonNullable<NonNullable<RawPod["status"]>["conditions"]>>();
  const word = createShare<string>();
  return (object) => {
    const { metadata, spec = {}, status = {} } = trusted<RawPod & Pick<ApiObject, "metadata">>(object);
    if ((spec.nodeName ?? "") === "") return withoutManagers(object);
    const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
    const { priority, overhead, resourceClaims } = spec;
    const { startTime, nominatedNodeName, resourceClaimStatuses } = status;
    const ownSpec: Spec = defined({
      ...{ nodeName: spec.nodeName, priority, overhead, resourceClaims },
      schedulerName: word(spec.schedulerName),
      preemptionPolicy: word(spec.preemptionPolicy),
      containers: containers(spec.containers?.map(containerOf)),
      initContainers: containers(spec.initContainers?.map(containerOf)),
      nodeSelector: selector(spec.nodeSelector),
      affinity: affinity(spec.affinity),
      tolerations: tolerations(spec.tolerations),
      topologySpreadConstraints: spread(spec.topologySpreadConstraints),
      volumes: volumesOf(spec.volumes),
    });
    // Of conditions only that of a pod that makes room is read.
    const leaving = status.conditions?.filter(({ type }) => type === "DisruptionTarget");
    const ownStatus: RawPod["status"] = defined({
      phase: word(status.phase),
      ...{ startTime, nominatedNodeName },
      conditions: leaving === undefined || leaving.length === 0 ? undefined : conditions(leaving),
      resourceClaimStatuses,
    });
    const own: ApiObject["metadata"] = defined({
      ...{ name, uid, resourceVersion, deletionTimestamp },
      namespace: word(namespace),
      labels: labels(metadata.labels),
      ownerReferences: owners(metadata.ownerReferences),
    });
    const kept: ApiObject & RawPod = { metadata: own, spec: ownSpec, status: ownStatus };
    return kept;
  };
}

const containerOf = ({ name, image, restartPolicy, resources, ports }: RawContainer): RawContainer => {
  const ofNode = ports?.filter(({ hostPort = 0 }) => hostPort > 0);
  return defined({
    ...{ name, image, restartPolicy, resources },
    ports: ofNode === undefined || ofNode.length === 0 ? undefined : ofNode,
  });
};

const read: readonly (keyof RawVolume)[] = [
  ...(["persistentVolumeClaim", "ephemeral", "csi"] as const),
  ...(["gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd"] as const),
];

/** Others take no room anywhere. */
function volumesOf(volumes: readonly RawVolume[] | undefined): readonly RawVolume[] | undefined {
  const own = volumes?.filter((volume) => read.some((kind) => volume[kind] !== undefined));
  return own === undefined || own.length === 0 ? undefined : own;
}
