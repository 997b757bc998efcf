import type { Behaviors } from "../../behavior.js";
import { binding } from "./binding.js";
import { configMap } from "./config-map.js";
import { event } from "./event.js";
import { limitRange } from "./limit-range.js";
import { namespace } from "./namespace.js";
import { node } from "./node.js";
import { persistentVolume } from "./persistent-volume.js";
import { persistentVolumeClaim } from "./persistent-volume-claim.js";
import { pod } from "./pod/pod.js";
import { podTemplate } from "./pod-template.js";
import { replicationController } from "./replication-controller.js";
import { resourceQuota } from "./resource-quota.js";
import { secret } from "./secret.js";
import { endpoints } from "./service/endpoints.js";
import { service } from "./service/service.js";
import { serviceAccount } from "./service-account.js";

export const coreBehaviors: Behaviors = [
  ["core/v1.Binding", binding],
  ["core/v1.ConfigMap", configMap],
  ["core/v1.Endpoints", endpoints],
  ["core/v1.Event", event],
  ["core/v1.LimitRange", limitRange],
  ["core/v1.Namespace", namespace],
  ["core/v1.Node", node],
  ["core/v1.PersistentVolume", persistentVolume],
  ["core/v1.PersistentVolumeClaim", persistentVolumeClaim],
  ["core/v1.Pod", pod],
  ["core/v1.ResourceQuota", resourceQuota],
  ["core/v1.PodTemplate", podTemplate],
  ["core/v1.ReplicationController", replicationController],
  ["core/v1.Secret", secret],
  ["core/v1.Service", service],
  ["core/v1.ServiceAccount", serviceAccount],
];
