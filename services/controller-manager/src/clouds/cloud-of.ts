import type { ControllerTools } from "../tools.js";
import type { Cloud } from "./cloud.js";
import type { CloudConfig } from "./cloud-settings.js";
import { createSimulatedCloud } from "./simulated-cloud.js";

/** The cloud of a controller: another one is made here, of settings of its own. */
export function cloudOf({ provider }: CloudConfig, { naming, informers }: ControllerTools): Cloud {
  const services = informers.of("services");
  return createSimulatedCloud(provider, { naming, services: () => services.store.values() });
}
