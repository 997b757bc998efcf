import type { AgentConfiguration } from "@orch/component-config/agent/agent.js";
import type {
  ClusterConfiguration,
  InitConfiguration,
} from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import type { ProxyConfiguration } from "@orch/component-config/proxy/proxy-shape.js";
import { formatMs } from "@orch/schema/formats/duration.js";
import type { InitValues } from "../init/flags.js";
import type { Tools } from "../world.js";
import { refuseOldRelease } from "./cluster-release.js";
import { componentKinds, kindsOf, readFileOf, refuseMixed } from "./read-file.js";

export interface InitInput {
  readonly init: InitConfiguration;
  readonly cluster: ClusterConfiguration;
  /** Of nodes' agents and of proxies, where the file says something of them. */
  readonly agent: AgentConfiguration | undefined;
  readonly proxy: ProxyConfiguration | undefined;
}

export interface Line {
  readonly values: InitValues;
  readonly given: ReadonlySet<string>;
}

/** What `init` and its phases go by: a file, or flags, over defaults. @throws Error with what is wrong */
export function initInput({ values, given }: Line, tools: Tools): InitInput {
  refuseMixed(given);
  const kinds = kindsOf(tools);
  const { config = "" } = values;
  let init: InitConfiguration | undefined;
  let cluster: ClusterConfiguration | undefined;
  let agent: AgentConfiguration | undefined;
  let proxy: ProxyConfiguration | undefined;
  if (config !== "") {
    const beside = componentKinds(tools);
    const documents = readFileOf(config, [kinds.init, kinds.cluster, ...Object.values(beside)], tools);
    for (const document of documents) {
      init ??= kinds.init.from(document);
      cluster ??= kinds.cluster.from(document);
      agent ??= beside.agent.from(document);
      proxy ??= beside.proxy.from(document);
    }
    if (init === undefined && cluster === undefined) {
      throw new Error("no InitConfiguration or ClusterConfiguration kind was found in the YAML file");
    }
  }
  const whole = {
    init: kinds.init.fill({ ...withInitFlags(init ?? kinds.init.defaults(), { values, given }) }),
    cluster: kinds.cluster.fill({ ...withClusterFlags(cluster ?? kinds.cluster.defaults(), values) }),
    ...{ agent, proxy },
  };
  const problems = [...kinds.init.check(whole.init), ...kinds.cluster.check(whole.cluster)];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const { naming, version } = tools;
  refuseOldRelease(whole.cluster.orchVersion, { version, program: naming.configurationWord("orchadm") });
  return whole;
}

function withInitFlags(init: InitConfiguration, { values, given }: Line): InitConfiguration {
  const [token] = init.bootstrapTokens;
  const ttl = given.has("token-ttl") ? formatMs(values["token-ttl"] ?? 0) : undefined;
  return {
    ...init,
    nodeRegistration: {
      ...init.nodeRegistration,
      name: values["node-name"] || init.nodeRegistration.name,
      criSocket: values["cri-socket"] || init.nodeRegistration.criSocket,
    },
    localAPIEndpoint: {
      advertiseAddress: values["apiserver-advertise-address"] || init.localAPIEndpoint.advertiseAddress,
      bindPort: values["apiserver-bind-port"] || init.localAPIEndpoint.bindPort,
    },
    certificateKey: values["certificate-key"] || init.certificateKey,
    ...(values.patches ? { patches: { directory: values.patches } } : {}),
    ...(token !== undefined && (values.token || ttl !== undefined)
      ? {
          bootstrapTokens: [
            { ...token, token: values.token || token.token, ...(ttl === undefined ? {} : { ttl }) },
            ...init.bootstrapTokens.slice(1),
          ],
        }
      : {}),
  };
}

function withClusterFlags(cluster: ClusterConfiguration, values: InitValues): ClusterConfiguration {
  const sans = values["apiserver-cert-extra-sans"] ?? [];
  const gates = values["feature-gates"];
  return {
    ...cluster,
    controlPlaneEndpoint: values["control-plane-endpoint"] || cluster.controlPlaneEndpoint,
    certificatesDir: values["cert-dir"] || cluster.certificatesDir,
    imageRepository: values["image-repository"] || cluster.imageRepository,
    orchVersion: values["kubernetes-version"] || cluster.orchVersion,
    networking: {
      podSubnet: values["pod-network-cidr"] || cluster.networking.podSubnet,
      serviceSubnet: values["service-cidr"] || cluster.networking.serviceSubnet,
      dnsDomain: values["service-dns-domain"] || cluster.networking.dnsDomain,
    },
    apiServer: { ...cluster.apiServer, certSANs: [...cluster.apiServer.certSANs, ...sans] },
    featureGates:
      gates === undefined ? cluster.featureGates : { ...cluster.featureGates, ...Object.fromEntries(gates) },
  };
}
