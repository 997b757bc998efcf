import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import type { CloudConfig } from "../clouds/cloud-settings.js";
import type { SeenNode } from "../seen/node.js";
import { createMemoryServer } from "../testing/memory-client.js";
import { memoryTools, runController, until } from "../testing/run-controller.js";
import { decideRoutes } from "./decide-routes.js";
import { createRouteController } from "./route-controller.js";

const ranges = ["10.0.0.0/16", "2001:db8::/48"].flatMap((text) => parseNetwork(text) ?? []);
const node = (name: string, ...podCIDRs: readonly string[]): SeenNode => ({
  metadata: { name, uid: name },
  spec: { podCIDRs },
});
const route = (target: string, destination: string, name = target) => ({ name, target, destination });

const rows = [
  ["a node's blocks get routes", [node("a", "10.0.1.0/24", "2001:db8::/64")], [], "a a-1", ""],
  ["what is there stays", [node("a", "10.0.1.0/24")], [route("a", "10.0.1.0/24", "r")], "", ""],
  ["what is written otherwise is the same", [node("a", "2001:db8:0::/64")], [route("a", "2001:db8::/64")], "", ""],
  ["what leads to a node that is gone goes", [], [route("a", "10.0.1.0/24")], "", "a"],
  [
    "what leads to another node than its block's goes",
    [node("b", "10.0.1.0/24")],
    [route("a", "10.0.1.0/24")],
    "b",
    "a",
  ],
  [
    "what is outside of the cluster stays",
    [],
    [route("a", "10.1.0.0/24"), route("b", "10.0.0.0/8"), route("c", "x")],
    "",
    "",
  ],
  ["a node without a block gets none", [node("a")], [], "", ""],
] as const;
for (const [what, nodes, routes, create, remove] of rows) {
  test(`routes: ${what}`, () => {
    const plan = decideRoutes(nodes, routes, ranges);
    const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).join(" ");
    assert.deepEqual([names(plan.create), names(plan.remove)], [create, remove]);
  });
}

test("a node's network is there once the cloud leads to it", async (t) => {
  const server = createMemoryServer();
  const routes = { periodMs: 10, ranges };
  const config: CloudConfig = { provider: { ranges: [] }, serviceWorkers: 1, monitorMs: 10, routes };
  server.put("nodes/a", { spec: { podCIDRs: ["10.0.1.0/24"] } });
  server.put("nodes/b", { status: { conditions: [{ type: "Ready", status: "True" }] } });
  const tools = memoryTools(server, createNaming("kubernetes"));
  const controller = createRouteController(config, routes, tools);
  assert.ok("run" in controller);
  runController(t, controller);
  const said = (name: string): string => {
    const seen: SeenNode | undefined = server.at(`nodes/${name}`);
    const { status, reason, message } =
      seen?.status?.conditions?.find(({ type }) => type === "NetworkUnavailable") ?? {};
    return `${status} ${reason} ${message}`;
  };
  await until(() => said("a") === "False RouteCreated RouteController created a route", "there is a route");
  await until(() => said("b") === "True NoRouteCreated RouteController failed to create a route", "there is none");
  server.put("nodes/b", { ...server.at("nodes/b"), spec: { podCIDR: "10.0.2.0/24" } });
  await until(() => said("b").startsWith("False"), "there is one to the other, too");
  assert.equal(tools.failures(), 0);
});
