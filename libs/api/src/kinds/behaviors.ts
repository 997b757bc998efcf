import type { BehaviorOf } from "../behavior.js";
import { configMap } from "./config-map.js";
import { endpointSlice } from "./endpoint-slice.js";
import { event } from "./event.js";
import { namespace } from "./namespace.js";
import { node } from "./node.js";
import { pod } from "./pod/pod.js";
import { secret } from "./secret.js";
import { service } from "./service.js";
import { serviceAccount } from "./service-account.js";

/** The kinds that need more than data, by `group/version/Kind` in the words of the data files. */
export const behaviors: ReadonlyMap<string, BehaviorOf> = new Map<string, BehaviorOf>([
  ["/v1/ConfigMap", configMap],
  ["/v1/Event", event],
  ["/v1/Namespace", namespace],
  ["/v1/Node", node],
  ["/v1/Pod", pod],
  ["/v1/Secret", secret],
  ["/v1/Service", service],
  ["/v1/ServiceAccount", serviceAccount],
  ["discovery.orch/v1/EndpointSlice", endpointSlice],
]);
