import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";
import type { PodSelection } from "../shared/pod-selection.js";
import type { DaemonSet, Deployment, StatefulSet } from "./types.js";

/**
 * Defaults of versions before `apps/v1` (rules: Removed API versions by release, 1.16), where they differ: what is
 * the same in the hub is set there.
 */
interface FromTemplate extends ApiObject {
  readonly spec?: PodSelection;
}

/** The selector and, where it has none, the object's labels are those of its pods. */
function labelled<T extends FromTemplate>(object: T): T {
  const labels = object.spec?.template?.metadata?.labels;
  if (labels === undefined || Object.keys(labels).length === 0) return object;
  const bare = Object.keys(object.metadata.labels ?? {}).length === 0;
  return {
    ...object,
    metadata: bare ? { ...object.metadata, labels } : object.metadata,
    spec: { ...object.spec, selector: object.spec?.selector ?? { matchLabels: labels } },
  };
}

/** apps/v1beta1.Deployment, extensions/v1beta1.ReplicaSet */
export const labelledByTemplate = behavior<FromTemplate>(() => ({ setDefaults: labelled }));

/** extensions/v1beta1.Deployment */
export const oldestDeployment = behavior<Deployment>(() => ({
  setDefaults: (object) => {
    const { spec = {}, ...rest } = labelled(object);
    const { type = "RollingUpdate", rollingUpdate } = spec.strategy ?? {};
    const rolls = type === "RollingUpdate" || rollingUpdate !== undefined;
    const strategy = {
      type,
      ...(rolls ? { rollingUpdate: { maxUnavailable: 1, maxSurge: 1, ...rollingUpdate } } : {}),
    };
    return { ...rest, spec: { ...spec, strategy } };
  },
}));

/** apps/v1beta1.StatefulSet */
export const oldestStatefulSet = behavior<StatefulSet>(() => ({
  setDefaults: (object) => {
    const { spec = {}, ...rest } = labelled(object);
    return { ...rest, spec: { ...spec, updateStrategy: { type: "OnDelete", ...spec.updateStrategy } } };
  },
}));

/** extensions/v1beta1.DaemonSet */
export const oldestDaemonSet = behavior<DaemonSet>(() => ({
  setDefaults: (object) => {
    const { spec = {}, ...rest } = labelled(object);
    return { ...rest, spec: { ...spec, updateStrategy: { type: "OnDelete", ...spec.updateStrategy } } };
  },
}));
