import { createBootstrapSigner, createTokenCleaner } from "./bootstrap-tokens/token-controllers.js";
import { cloudMakers } from "./clouds/cloud-makers.js";
import type { CloudConfig } from "./clouds/cloud-settings.js";
import type { ControllerName, Made } from "./controller.js";
import { createDisruptionController } from "./disruption/disruption-controller.js";
import { createSliceController, type SliceConfig } from "./endpoint-slices/slice-controller.js";
import { createEndpointsController, type EndpointsConfig } from "./endpoints/endpoints-controller.js";
import { createEphemeralVolumeController } from "./ephemeral-volumes/ephemeral-controller.js";
import { createLegacyTokenCleaner, type LegacyTokenConfig } from "./legacy-tokens/token-cleaner.js";
import { createNodeIpamController, type IpamSettings } from "./node-ipam/ipam-controller.js";
import { createNodeLifecycleController, type LifecycleConfig } from "./node-lifecycle/lifecycle-controller.js";
import { createNodeTtlController } from "./node-ttl/ttl-controller.js";
import { createPodCollector, type PodCollectorConfig } from "./pod-gc/pod-collector.js";
import { createResourceClaimController } from "./resource-claims/claim-controller.js";
import { createRangeController } from "./service-ranges/range-controller.js";
import { createMirroringController, type MirroringConfig } from "./slice-mirroring/mirroring-controller.js";
import { createTaintEvictionController } from "./taint-eviction/eviction-controller.js";
import type { ControllerTools } from "./tools.js";
import { type AttachDetachConfig, createAttachDetachController } from "./volume-attachment/attach-detach-controller.js";
import { type BinderConfig, createBinderController } from "./volume-binding/binder-controller.js";
import { createExpanderController } from "./volume-growth/expander-controller.js";

/** Settings of the controllers of services, budgets, nodes and volumes. */
export interface ClusterConfig {
  readonly slices: SliceConfig;
  readonly endpoints: EndpointsConfig;
  readonly mirroring: MirroringConfig;
  readonly nodes: LifecycleConfig;
  readonly podCollector: PodCollectorConfig;
  readonly ephemeralVolumes: { readonly workers: number };
  readonly volumeBinder: BinderConfig;
  readonly volumeAttacher: AttachDetachConfig;
  readonly legacyTokens: LegacyTokenConfig;
  /** Undefined where there is no cloud. */
  readonly cloud: CloudConfig | undefined;
  /** Undefined where nodes are given no blocks of addresses. */
  readonly ipam: IpamSettings | undefined;
}

/** The reference has no flag for them. */
const resourceClaimWorkers = 10;

/** How those controllers are made. */
export const clusterMakers = (config: ClusterConfig) =>
  ({
    "endpointslice-controller": (tools) => createSliceController(config.slices, tools),
    "endpoints-controller": (tools) => createEndpointsController(config.endpoints, tools),
    "endpointslice-mirroring-controller": (tools) => createMirroringController(config.mirroring, tools),
    "disruption-controller": createDisruptionController,
    "node-lifecycle-controller": (tools) => createNodeLifecycleController(config.nodes, tools),
    "taint-eviction-controller": createTaintEvictionController,
    "pod-garbage-collector-controller": (tools) => createPodCollector(config.podCollector, tools),
    "ttl-controller": createNodeTtlController,
    "bootstrap-signer-controller": createBootstrapSigner,
    "token-cleaner-controller": createTokenCleaner,
    "ephemeral-volume-controller": (tools) => createEphemeralVolumeController(config.ephemeralVolumes, tools),
    "persistentvolume-binder-controller": (tools) => createBinderController(config.volumeBinder, tools),
    "legacy-serviceaccount-token-cleaner-controller": (tools) => createLegacyTokenCleaner(config.legacyTokens, tools),
    "resourceclaim-controller": (tools) => createResourceClaimController({ workers: resourceClaimWorkers }, tools),
    "persistentvolume-expander-controller": createExpanderController,
    "persistentvolume-attach-detach-controller": (tools) => createAttachDetachController(config.volumeAttacher, tools),
    "service-cidr-controller": createRangeController,
    "selinux-warning-controller": () => ({ lacks: "labels of volumes are not compared" }),
    ...cloudMakers(config.cloud),
    "node-ipam-controller": (tools) =>
      config.ipam === undefined
        ? { lacks: "--allocate-node-cidrs is not given" }
        : createNodeIpamController(config.ipam, tools),
  }) satisfies Partial<Record<ControllerName, (tools: ControllerTools) => Made>>;
