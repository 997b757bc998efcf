import type { Naming } from "@orch/naming/naming.js";
import { addressWarnings, networkWarnings } from "../../shared/warnings/addresses.js";
import { productName } from "../../shared/warnings/text.js";
import type { Service, ServiceSpec } from "./service-spec.js";

interface Spec extends ServiceSpec {
  readonly loadBalancerIP?: string;
}

/** Fields of a service that nothing looks at, and addresses that are read in more than one way. */
export function* serviceWarnings({ metadata, spec: given = {} }: Service, naming: Naming): Iterable<string> {
  const product = productName(naming);
  const spec: Spec = given;
  const hints = `service.${naming.key("topology-aware-hints")}`;
  const mode = `service.${naming.key("topology-mode")}`;
  if (metadata.annotations?.[hints] !== undefined)
    yield `annotation ${hints} is deprecated, please use ${mode} instead`;
  const { clusterIP = "", clusterIPs = [], externalIPs = [], loadBalancerIP = "" } = spec;
  if (clusterIP !== "" && clusterIP !== "None") {
    for (const [i, address] of clusterIPs.entries()) yield* addressWarnings(address, `spec.clusterIPs[${i}]`, product);
  }
  for (const [i, address] of externalIPs.entries()) yield* addressWarnings(address, `spec.externalIPs[${i}]`, product);
  if (loadBalancerIP !== "") yield* addressWarnings(loadBalancerIP, "spec.loadBalancerIP", product);
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    yield* networkWarnings(range, `spec.loadBalancerSourceRanges[${i}]`, product);
  }
  yield* nameFieldWarnings(spec);
}

function* nameFieldWarnings({ type, externalIPs = [], externalName = "" }: Spec): Iterable<string> {
  const named = "ExternalName";
  if (type === named && externalIPs.length > 0) yield `spec.externalIPs is ignored when spec.type is "${named}"`;
  if (type !== named && externalName !== "") yield `spec.externalName is ignored when spec.type is not "${named}"`;
}
