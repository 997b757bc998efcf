import type { Naming } from "@orch/naming/naming.js";
import { type Configuration, configuration } from "../configuration.js";
import { isAddress, isSixth } from "../rules-of-addresses.js";
import { checkProxy } from "./proxy-rules.js";
import { type ProxyConfiguration, proxyShape } from "./proxy-shape.js";

const kind = "OrchProxyConfiguration";

export interface ProxyOptions {
  /** Of a node with that system, whose modes are others. */
  readonly windows?: boolean;
  /** Names of feature gates of the release; absent: those of a file are not looked at. */
  readonly gates?: ReadonlySet<string>;
}

/** The proxy's configuration. */
export function proxyConfiguration(
  naming: Naming,
  { windows = false, gates }: ProxyOptions = {},
): Configuration<ProxyConfiguration> {
  const rules = { root: naming.configurationWord(kind), windows, gates };
  const spec = {
    kind,
    group: "orchproxy.config",
    versions: [{ version: "v1alpha1" }],
    shape: proxyShape(naming),
    lenient: true,
    fill: withAddresses,
    check: (value: ProxyConfiguration) => checkProxy(value, rules),
  };
  return configuration(spec, naming);
}

const [healthzPort, metricsPort] = [10_256, 10_249];

function withAddresses(config: ProxyConfiguration): ProxyConfiguration {
  const { bindAddress, healthzBindAddress: healthz, metricsBindAddress: metrics } = config;
  const [all, own] = isSixth(bindAddress) ? ["::", "::1"] : ["0.0.0.0", "127.0.0.1"];
  return {
    ...config,
    healthzBindAddress: withPort(healthz === "" ? all : healthz, healthzPort),
    metricsBindAddress: withPort(metrics === "" ? own : metrics, metricsPort),
  };
}

/** A bare address gets a port; anything else stays for the rules to judge. */
function withPort(address: string, port: number): string {
  if (!isAddress(address)) return address;
  return isSixth(address) ? `[${address}]:${port}` : `${address}:${port}`;
}
