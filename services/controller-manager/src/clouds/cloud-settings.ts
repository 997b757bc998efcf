import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Network } from "@orch/schema/formats/ip.js";
import { messageOf } from "@orch/status/message-of.js";
import type { FileReaders } from "../file-readers.js";
import { rangeProblem } from "../node-ipam/blocks.js";
import { networksIn } from "../node-ipam/networks-in.js";
import type { CloudValues } from "./cloud-flags.js";
import type { SimulatedCloud } from "./simulated-cloud.js";

/** What the controllers that speak to a cloud are told. */
export interface CloudConfig {
  readonly provider: SimulatedCloud;
  /** Services that are worked on at once. */
  readonly serviceWorkers: number;
  /** Between two looks at all nodes. */
  readonly monitorMs: number;
  /** Undefined where the cloud is given no routes. */
  readonly routes: RouteConfig | undefined;
}

export interface RouteConfig {
  readonly periodMs: number;
  /** Routes to other destinations are somebody else's. */
  readonly ranges: readonly Network[];
}

export interface CloudParts {
  readonly naming: Naming;
  /** A file's text; its error says why there is none. */
  readonly read: (path: string) => string;
  /** Of files that these values need. */
  readonly readers?: FileReaders | undefined;
}

/** Undefined where no cloud is named, or one that another program speaks to. */
export function cloudSettings(values: CloudValues, parts: CloudParts): Parsed<CloudConfig | undefined> {
  const provider = values["cloud-provider"];
  if (provider === "" || provider === "external") return { ok: true, value: undefined };
  if (provider !== "simulated") return refused(`--cloud-provider: unknown cloud provider ${JSON.stringify(provider)}`);
  const simulated = simulatedSettings(values, parts);
  if (!simulated.ok) return simulated;
  if (values["node-monitor-period"] === 0) return refused("--node-monitor-period must be greater than zero");
  const routes = routeSettings(values);
  if (!routes.ok) return routes;
  return {
    ok: true,
    value: {
      provider: simulated.value,
      serviceWorkers: values["concurrent-service-syncs"],
      monitorMs: values["node-monitor-period"],
      routes: routes.value,
    },
  };
}

function simulatedSettings(values: CloudValues, { naming, read, readers }: CloudParts): Parsed<SimulatedCloud> {
  const flag = "simulated-load-balancer-ranges";
  const ranges = networksIn(values[flag]);
  if (ranges === undefined) return refused(`--${flag} ${values[flag]}: must be one range, or one of each family`);
  const problem = ranges.map((network) => rangeProblem({ network, bits: network.address.length * 8 })).find(Boolean);
  if (problem !== undefined) return refused(`--${flag}: has more than 65536 addresses`);
  const path = values["cloud-config"];
  if (path === "") return { ok: true, value: { ranges } };
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    return refused(`--cloud-config ${path}: ${messageOf(error)}`);
  }
  if (readers === undefined) throw new TypeError("nobody reads the file of the cloud");
  const machines = readers.machines(text, naming);
  if (!machines.ok) return refused(`--cloud-config ${path}: ${machines.problem}`);
  return { ok: true, value: { ranges, file: () => read(path) } };
}

function routeSettings(values: CloudValues): Parsed<RouteConfig | undefined> {
  if (!values["allocate-node-cidrs"] || !values["configure-cloud-routes"]) return { ok: true, value: undefined };
  const periodMs = values["route-reconciliation-period"];
  if (periodMs === 0) return refused("--route-reconciliation-period must be greater than zero");
  const ranges = networksIn(values["cluster-cidr"]);
  if (ranges === undefined) {
    return refused(`--cluster-cidr ${values["cluster-cidr"]}: must be one range, or one of each family`);
  }
  return { ok: true, value: { periodMs, ranges } };
}

const refused = (problem: string): { readonly ok: false; readonly problems: readonly string[] } => ({
  ok: false,
  problems: [problem],
});
