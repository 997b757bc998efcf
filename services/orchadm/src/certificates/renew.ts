import type { ClusterConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { issueOrder } from "@orch/pki/orders.js";
import { withPair } from "../client-configs/client-configs.js";
import type { Tools } from "../world.js";
import { algorithmOf, validityOf } from "./ensure.js";
import { authorityOf, certificateOf, orderOf, type Place, type Renewable } from "./existing.js";
import { writePair } from "./pairs.js";

export type Renewed = "renewed" | "missing" | "external";

/**
 * A certificate anew, for the same subject and names, with a new key and the lifetime that the cluster has.
 * @throws Error where the authority is wrong
 */
export async function renew(
  renewable: Renewable,
  place: Place,
  { cluster, clock }: { readonly cluster: ClusterConfiguration; readonly clock: Tools["clock"] },
): Promise<Renewed> {
  const before = certificateOf(renewable, place);
  if (before === undefined) return "missing";
  const { certificate: ca, key } = authorityOf(place, renewable.authority);
  if (ca === undefined || key === undefined) return "external";
  const order = { ...orderOf(before), algorithm: algorithmOf({ cluster }), validMs: validityOf({ cluster }).leaf };
  const pair = await issueOrder(order, clock.now(), { certificate: ca, key });
  const { at } = renewable;
  const { machine, paths, certificatesDir } = place;
  if ("base" in at) writePair(machine, `${certificatesDir}/${at.base}`, pair);
  else {
    const path = paths.clientConfig(at.clientConfig);
    machine.write(path, withPair(machine.read(path), pair));
  }
  return "renewed";
}
