import { setMaxListeners } from "node:events";
import { createDiscovery } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http.js";
import { type Election, leadOnce } from "@orch/client/leader-election.js";
import { createMirror, type Mirror } from "@orch/client/mirror.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Service } from "@orch/runtime/service.js";
import { createAggregationController } from "./aggregation/aggregation-controller.js";
import { type AutoscalerConfig, createAutoscalerController } from "./autoscaling/autoscaler-controller.js";
import { createApprovingController } from "./certificates/approving-controller.js";
import { createCleaner } from "./certificates/cleaner.js";
import { createSigningController, type SigningConfig } from "./certificates/signing-controller.js";
import { type ClusterConfig, clusterMakers } from "./cluster-controllers.js";
import type { Controller, ControllerName, Made } from "./controller.js";
import { createCronJobController } from "./cronjobs/cronjob-controller.js";
import { createDaemonSetController } from "./daemonsets/daemonset-controller.js";
import { createDefinitionFinalizer } from "./definitions/finalizing-controller.js";
import { createDeploymentController } from "./deployments/deployment-controller.js";
import { createFlowSchemaStatusController } from "./flow-schemas/status-controller.js";
import { createGarbageCollector } from "./garbage/collector.js";
import { createJobController } from "./jobs/job-controller.js";
import type { Telemetry } from "./metrics.js";
import { createNamespaceController } from "./namespaces/namespace-controller.js";
import { createPolicyStatusController } from "./policies/status-controller.js";
import { createClaimProtectionController } from "./protection/claims.js";
import { createVolumeProtectionController } from "./protection/volumes.js";
import { createQuotaController, type QuotaConfig } from "./quota/quota-controller.js";
import { createReplicaSetController, createReplicationController } from "./replicas/replicas-controller.js";
import { createInformers } from "./rim/informers.js";
import { createRootCaPublisher } from "./root-ca/root-ca-publisher.js";
import { createServiceAccountController } from "./service-accounts.js";
import { createStatefulSetController } from "./statefulsets/statefulset-controller.js";
import { createStorageMigrator } from "./storage-migration/migrator.js";
import { createTokenController } from "./tokens/token-controller.js";
import type { ControllerTools } from "./tools.js";
import { createTtlController } from "./ttl-after-finished/ttl-controller.js";

export interface ControllerManagerConfig {
  readonly controllers: ReadonlySet<ControllerName>;
  readonly garbageCollectorWorkers: number;
  readonly namespaceWorkers: number;
  /** Between a namespace's deletion and its emptying. */
  readonly namespaceQuietMs: number;
  /** What service accounts' secrets and pods are given; what is absent is given to nobody. */
  readonly accounts?: AccountSettings;
  /** Objects of a kind that are looked at at once. */
  readonly workers: WorkloadWorkers;
  readonly autoscaling: AutoscalerConfig;
  readonly signing: SigningConfig;
  readonly quotas: QuotaConfig;
  readonly cluster: ClusterConfig;
  /** Undefined where this is the only one. */
  readonly leaderElection: Election | undefined;
}

export interface WorkloadWorkers {
  readonly deployments: number;
  readonly replicaSets: number;
  readonly jobs: number;
  readonly finishedJobs: number;
  readonly cronJobs: number;
  readonly daemonSets: number;
  readonly statefulSets: number;
  readonly replicationControllers: number;
}

export interface AccountSettings {
  /** PEM of the private key that signs the tokens in Secrets. */
  readonly tokenKeyPem: string | undefined;
  /** Secrets that are filled at once. */
  readonly tokenWorkers: number;
  /** PEM bundle by which pods know the server. */
  readonly rootCa: string | undefined;
}

export interface ControllerManagerDeps {
  /** With a stream for each watched kind: a multiplexed one. Whoever made it closes it. */
  readonly client: Client;
  /** Of a controller that acts as somebody of its own, of the same sort; `client` for all of them where absent. */
  readonly clientFor?: (controller: ControllerName) => Client;
  /** What the process follows, where others share it; one of the controllers' own, read by `client`, where absent. */
  readonly mirror?: Mirror;
  readonly naming: Naming;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

export interface ControllerManager extends Service {
  /** Whether the controllers run here. */
  readonly leads: boolean;
}

/**
 * Runs control loops over the HTTP API, here or in the one process that holds the lease. It starts at once, with or
 * without a server to speak to; `stop` settles when nothing runs any more and the lease is given back.
 */
export function createControllerManager(
  config: ControllerManagerConfig,
  deps: ControllerManagerDeps,
): ControllerManager {
  const abort = new AbortController();
  const election = config.leaderElection === undefined ? undefined : createElection(config.leaderElection, deps);
  let running: Promise<void> | undefined;
  let leads = false;

  const runControllers = async (signal: AbortSignal): Promise<void> => {
    leads = true;
    // Every request that is under way listens to it.
    setMaxListeners(0, signal);
    deps.log.debug({ controllers: [...config.controllers] }, "controllers run");
    await Promise.all(controllersOf(config, deps).map((controller) => controller.run(signal)));
    leads = false;
  };

  return {
    async start() {
      if (config.controllers.size === 0) return;
      running = election === undefined ? runControllers(abort.signal) : election.run(runControllers, abort.signal);
    },
    async stop() {
      abort.abort(new Error("the controllers stop"));
      await running;
    },
    get leads() {
      return leads;
    },
  };
}

function controllersOf(config: ControllerManagerConfig, deps: ControllerManagerDeps): readonly Controller[] {
  const { clientFor = () => deps.client, log } = deps;
  const shared = createDiscovery(deps.client, deps.naming);
  const mirror = deps.mirror ?? createMirror(deps);
  const informers = createInformers({ mirror, naming: deps.naming });
  const toolsOf = (name: ControllerName): ControllerTools => {
    const own = clientFor(name);
    // What is there the process reads, whose right that is; what a controller changes it changes by its own right.
    const client = own === deps.client ? own : { ...own, list: deps.client.list, stream: deps.client.stream };
    return { ...deps, client, discovery: shared, mirror, informers };
  };
  const make = makersOf(config);
  return [...config.controllers].flatMap((name) => {
    const made = make[name](toolsOf(name));
    if ("run" in made) return made;
    log.info({ controller: name }, `a controller does not run: ${made.lacks}`);
    return [];
  });
}

function makersOf(config: ControllerManagerConfig): Readonly<Record<ControllerName, (tools: ControllerTools) => Made>> {
  const { tokenKeyPem, tokenWorkers = 1, rootCa }: Partial<AccountSettings> = config.accounts ?? {};
  const { workers, signing } = config;
  const { authorities } = signing;
  return {
    "garbage-collector-controller": (tools) =>
      createGarbageCollector({ workers: config.garbageCollectorWorkers }, tools),
    "namespace-controller": (tools) =>
      createNamespaceController({ workers: config.namespaceWorkers, quietMs: config.namespaceQuietMs }, tools),
    "serviceaccount-controller": createServiceAccountController,
    "clusterrole-aggregation-controller": createAggregationController,
    "serviceaccount-token-controller": (tools) =>
      tokenKeyPem === undefined
        ? { lacks: "--service-account-private-key-file is not given" }
        : createTokenController({ signingKeyPem: tokenKeyPem, rootCa, workers: tokenWorkers }, tools),
    "root-ca-certificate-publisher-controller": (tools) =>
      rootCa === undefined ? { lacks: "--root-ca-file is not given" } : createRootCaPublisher({ rootCa }, tools),
    "certificatesigningrequest-approving-controller": createApprovingController,
    "certificatesigningrequest-signing-controller": (tools) =>
      Object.keys(authorities).length === 0
        ? { lacks: "no files of an authority are named, --cluster-signing-cert-file and its key" }
        : createSigningController(config.signing, tools),
    "certificatesigningrequest-cleaner-controller": createCleaner,
    "flowschema-status-controller": createFlowSchemaStatusController,
    "persistentvolumeclaim-protection-controller": createClaimProtectionController,
    "persistentvolume-protection-controller": createVolumeProtectionController,
    "resourcequota-controller": (tools) => createQuotaController(config.quotas, tools),
    "customresourcedefinition-finalizing-controller": createDefinitionFinalizer,
    "validatingadmissionpolicy-status-controller": createPolicyStatusController,
    "storage-version-migrator-controller": createStorageMigrator,
    "replicaset-controller": (tools) => createReplicaSetController({ workers: workers.replicaSets }, tools),
    "replicationcontroller-controller": (tools) =>
      createReplicationController({ workers: workers.replicationControllers }, tools),
    "job-controller": (tools) => createJobController({ workers: workers.jobs }, tools),
    "ttl-after-finished-controller": (tools) => createTtlController({ workers: workers.finishedJobs }, tools),
    "cronjob-controller": (tools) => createCronJobController({ workers: workers.cronJobs }, tools),
    "daemonset-controller": (tools) => createDaemonSetController({ workers: workers.daemonSets }, tools),
    "statefulset-controller": (tools) => createStatefulSetController({ workers: workers.statefulSets }, tools),
    "deployment-controller": (tools) => createDeploymentController({ workers: workers.deployments }, tools),
    ...clusterMakers(config.cluster),
    "horizontal-pod-autoscaler-controller": (tools) => createAutoscalerController(config.autoscaling, tools),
  };
}

interface Candidate {
  /** Leads again and again, whenever the lease can be had, until the signal aborts. */
  run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

function createElection(config: Election, deps: ControllerManagerDeps): Candidate {
  const { client, naming, clock, random, log, telemetry } = deps;
  const { identity, namespace, name } = config;
  const leases = { group: naming.group("coordination"), version: "v1", resource: "leases", namespace };
  return {
    async run(lead, signal) {
      telemetry.leading(name, false);
      const onLeader = (leader: string): void =>
        log.info({ leader, identity, lease: `${namespace}/${name}` }, "who leads has changed");
      const onError = (err: unknown): void => log.debug({ err }, "the lease could not be taken or renewed");
      const leadTold = async (term: AbortSignal): Promise<void> => {
        telemetry.leading(name, true);
        try {
          await lead(term);
        } finally {
          telemetry.leading(name, false);
        }
      };
      while (!signal.aborted) {
        const end = await leadOnce({ ...config, client, leases, clock, random, onLeader, onError }, leadTold, signal);
        if (end === "lost") log.error({ identity }, "the lease was lost: the controllers have stopped");
      }
    },
  };
}
