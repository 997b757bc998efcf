import type { Behaviors } from "../../behavior.js";
import { configMap } from "./config-map.js";
import { event } from "./event.js";
import { namespace } from "./namespace.js";
import { node } from "./node.js";
import { pod } from "./pod/pod.js";
import { secret } from "./secret.js";
import { service } from "./service.js";
import { serviceAccount } from "./service-account.js";

export const coreBehaviors: Behaviors = [
  ["core/v1.ConfigMap", configMap],
  ["core/v1.Event", event],
  ["core/v1.Namespace", namespace],
  ["core/v1.Node", node],
  ["core/v1.Pod", pod],
  ["core/v1.Secret", secret],
  ["core/v1.Service", service],
  ["core/v1.ServiceAccount", serviceAccount],
];
