import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { messageOf } from "@orch/status/message-of.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Route } from "../clouds/cloud.js";
import { cloudOf } from "../clouds/cloud-of.js";
import type { CloudConfig, RouteConfig } from "../clouds/cloud-settings.js";
import type { Made } from "../controller.js";
import { nodeKind } from "../node-lifecycle/lifecycle-controller.js";
import { createPeriodic, each } from "../rim/periodic.js";
import { recorderOf } from "../rim/recorder.js";
import { conditionOf } from "../seen/conditions.js";
import type { SeenNode } from "../seen/node.js";
import type { ControllerTools } from "../tools.js";
import { decideRoutes } from "./decide-routes.js";

const name = "node-route-controller";

/** Has the cloud lead to the pods of each node, and says of nodes whether it does. */
export function createRouteController(cloud: CloudConfig, config: RouteConfig, tools: ControllerTools): Made {
  const { routes } = cloudOf(cloud, tools);
  if (routes === undefined) return { lacks: "the cloud has no routes" };
  const { client, clock, informers } = tools;
  const nodes = informers.of("nodes");
  const events = recorderOf(tools, name, "route_controller");

  const create = async (route: Route, signal: AbortSignal): Promise<void> => {
    const began = clock.monotonic();
    await routes.create(route, signal).catch((error: unknown) => {
      const about = nodes.store.get(route.target);
      const ms = Math.round(clock.monotonic() - began);
      const message = `Could not create route ${route.name} ${route.destination} for node ${route.target} after ${ms}ms: ${messageOf(error)}`;
      const said = { kind: nodeKind, type: "Warning" as const, reason: "FailedToCreateRoute", message };
      if (about !== undefined) events.tell({ about, ...said });
      throw error;
    });
  };
  const tell = async (node: SeenNode, hasRoutes: boolean, signal: AbortSignal): Promise<void> => {
    const status = hasRoutes ? "False" : "True";
    const [reason, message] = hasRoutes
      ? ["RouteCreated", "RouteController created a route"]
      : ["NoRouteCreated", "RouteController failed to create a route"];
    const present = conditionOf(node, "NetworkUnavailable");
    if (present?.status === status && present.reason === reason) return;
    const now = wireTime(clock.now());
    const condition = {
      ...{ type: "NetworkUnavailable", status, reason, message },
      ...{ lastHeartbeatTime: now, lastTransitionTime: now },
    };
    const body = { metadata: { uid: node.metadata.uid }, status: { conditions: [condition] } };
    const how = { type: patchTypes.strategic, body, subresource: "status", signal };
    await client.patch(nodes.collection, node.metadata.name ?? "", how).catch(unlessPast);
  };
  return createPeriodic(
    {
      ...{ name, periodMs: config.periodMs, reads: [nodes] },
      async round(signal) {
        const all: readonly SeenNode[] = [...nodes.store.values()];
        const plan = decideRoutes(all, await routes.list(signal), config.ranges);
        const failed = new Set<Route>();
        const ofRoute = ({ name: route, target }: Route) => ({ route, node: target });
        const how = { tools, name, signal, fieldsOf: ofRoute } as const;
        // What leads to a block's former node goes first: no two are to lead to one.
        await each(plan.remove, how, (route, late) => routes.remove(route, late));
        await each(plan.create, how, async (route, late) => {
          failed.add(route);
          await create(route, late);
          failed.delete(route);
        });
        const ofNode = ({ metadata }: SeenNode) => ({ node: metadata.name });
        await each(all, { tools, name, signal, fieldsOf: ofNode }, async (node, late) => {
          const own = plan.wanted.get(node.metadata.name ?? "") ?? [];
          await tell(node, own.length > 0 && !own.some((route) => failed.has(route)), late);
        });
      },
    },
    tools,
  );
}
