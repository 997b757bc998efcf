import { createCloudLifecycleController } from "../cloud-nodes/lifecycle-controller.js";
import type { Made } from "../controller.js";
import { createRouteController } from "../node-routes/route-controller.js";
import { createBalancerController } from "../service-lb/balancer-controller.js";
import type { ControllerTools } from "../tools.js";
import type { CloudConfig } from "./cloud-settings.js";

const noCloud = { lacks: "--cloud-provider names no cloud that this program speaks to" };
const noRoutes = { lacks: "--allocate-node-cidrs or --configure-cloud-routes is not on" };

/** How the controllers are made that either of two programs may run. `config`: undefined where there is no cloud. */
export const cloudMakers = (config: CloudConfig | undefined) => ({
  "service-lb-controller": (tools: ControllerTools): Made =>
    config === undefined ? noCloud : createBalancerController(config, tools),
  "node-route-controller": (tools: ControllerTools): Made => {
    if (config === undefined) return noCloud;
    return config.routes === undefined ? noRoutes : createRouteController(config, config.routes, tools);
  },
  "cloud-node-lifecycle-controller": (tools: ControllerTools): Made =>
    config === undefined ? noCloud : createCloudLifecycleController(config, tools),
});
