import type { Naming } from "@orch/naming/naming.js";
import type { Network } from "@orch/schema/formats/ip.js";
import type { BalancedService } from "../service-lb/decide-balancer.js";
import type { Cloud } from "./cloud.js";
import { createSimulatedBalancers } from "./simulated-balancers.js";
import { readMachines, type SimulatedMachines } from "./simulated-file.js";
import { createSimulatedInstances, simulatedName } from "./simulated-instances.js";
import { createSimulatedRoutes } from "./simulated-routes.js";

export interface SimulatedCloud {
  /** Of the addresses of balancers: one of each family at most. */
  readonly ranges: readonly Network[];
  /** The text of the file that says what machines there are, read whenever somebody asks; absent: there is none. */
  readonly file?: () => string;
}

export interface CloudDeps {
  readonly naming: Naming;
  /** All services of the cluster. */
  readonly services: () => Iterable<BalancedService>;
}

/** A cloud without machines. Whoever edits its file stops machines, or takes them away. */
export function createSimulatedCloud(
  { ranges, file }: SimulatedCloud,
  { naming, services }: CloudDeps,
): Required<Cloud> {
  let last: { readonly text: string | undefined; readonly machines: SimulatedMachines } | undefined;
  const machines = (): SimulatedMachines => {
    const text = file?.();
    if (last !== undefined && last.text === text) return last.machines;
    const read = readMachines(text, naming);
    // What is wrong changes nothing: machines are not taken for gone because of a slip.
    if (!read.ok) throw new Error(`the file of the simulated cloud: ${read.problem}`);
    last = { text, machines: read.machines };
    return read.machines;
  };
  const instances = createSimulatedInstances({ machines, naming });
  return {
    name: simulatedName,
    instances,
    zones: instances,
    balancers: createSimulatedBalancers({ ranges }, services),
    routes: createSimulatedRoutes(),
  };
}
