import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { ObjectSource } from "@orch/auth/object-source.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Dial, dialDirectly } from "@orch/outbound/dial.js";
import { createServiceAddresses } from "@orch/outbound/service-addresses.js";
import type { Peers } from "@orch/rpc/group-peers.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { ServingSettings } from "../serving-settings.js";
import { createApiServices } from "./api-services.js";
import { createAvailabilityController } from "./availability-controller.js";
import { createAvailabilityMetrics, createCertificateMetrics, createDiscoveryMetric } from "./metrics.js";
import type { OtherApis } from "./other-apis.js";
import { secretHeaders, type UserHeaders } from "./passed-headers.js";
import type { ProxyDeps } from "./proxy.js";
import { createRegistration } from "./registration.js";
import { createRemoteDocuments } from "./remote-documents.js";
import { createServedGroups } from "./served-groups.js";
import { createServiceViews } from "./service-views.js";
import { followPair } from "./settings.js";
import { createUpstream } from "./upstream.js";
import { createApiServiceWriter } from "./write.js";

export interface AssembleAggregationDeps {
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
  readonly objects: ObjectSource;
  readonly resources: Peers;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: () => number;
  /** By which way connections to servers of others leave this process; straight where absent. */
  readonly dial?: Dial | undefined;
  /** Ends the start with a sentence about wrong flags or files. */
  readonly refuse: (problem: string) => never;
}

export interface Aggregation {
  readonly apis: OtherApis;
  readonly proxy: Omit<ProxyDeps, "openWatches" | "tokenProtocol" | "requestTimeoutMs">;
  start(): void;
  stop(): void;
}

type Settings = Pick<ServingSettings, "aggregation" | "tls" | "identity">;

/**
 * The APIServices: those of this server, which the one gateway that speaks for it makes and judges, and those with servers of
 * others, which every gateway follows. Without one of those nothing else is followed and nobody is asked.
 */
export async function assembleAggregation(settings: Settings, deps: AssembleAggregationDeps): Promise<Aggregation> {
  const { naming, catalog, objects, clock, log, metrics } = deps;
  const { aggregation: flags, tls, identity } = settings;
  const pair = await followPair({ certificate: "proxy-client-cert-file", key: "proxy-client-key-file" }, flags, deps);
  const upstream = createUpstream({
    dial: deps.dial ?? dialDirectly,
    pair: pair.current,
    shown: createCertificateMetrics(metrics),
  });
  const services = createApiServices();
  const views = createServiceViews(objects, naming);
  const resolve = createServiceAddresses(views, {
    random: deps.random,
    prefer: flags["enable-aggregator-routing"] ? "endpoints" : "clusterAddress",
  });
  const userHeaders = headersOf(tls);
  const requests = { upstream, naming, userHeaders };
  const documents = createRemoteDocuments({
    ...{ services, requests, resolve, clock },
    failed: (name, err) => log.info({ err, apiService: name }, "the documents of a server cannot be read"),
  });
  const groupsWith = createServedGroups(services);
  const write = createApiServiceWriter(deps);
  const failed = (what: string, err: unknown): void => log.warn({ err }, what);
  const keeping =
    identity === undefined
      ? []
      : [
          createRegistration({ naming, catalog, services, write, clock, failed, completed: completion(deps.health) }),
          createAvailabilityController({
            ...{ services, views, resolve, requests, write, clock, failed },
            metrics: createAvailabilityMetrics(metrics),
          }),
        ];
  const held = new Map<string, () => void>();
  services.onChange(({ before, after }) => {
    if (before?.remote === after?.remote) return;
    if (before?.remote !== undefined) {
      upstream.forget(before.remote);
      held.get(before.name)?.();
      held.delete(before.name);
    }
    if (after?.remote === undefined) return;
    const { release } = views.hold(after.remote.service, () => {});
    held.set(after.name, release);
  });
  let following: { stop(): void } | undefined;
  return {
    apis: {
      remotes: services.remotes,
      groupsWith,
      resources: documents.resources,
      get resourcesVersion() {
        return documents.version;
      },
      openApi: () => documents.openApi,
      discovered: createDiscoveryMetric(metrics),
    },
    proxy: {
      ...{ upstream, resolve, userHeaders, log },
      secret: secretHeaders(
        [
          ...tls["requestheader-username-headers"],
          ...tls["requestheader-uid-headers"],
          ...tls["requestheader-group-headers"],
        ],
        tls["requestheader-extra-headers-prefix"],
      ),
      hideRedirects: flags["aggregator-reject-forwarding-redirect"],
    },
    start() {
      documents.start();
      for (const one of keeping) one.start();
      const collection = { group: naming.group("apiregistration"), version: "v1", resource: "apiservices" };
      following = objects.follow(collection, services.follower);
    },
    stop() {
      following?.stop();
      for (const one of keeping) one.stop();
      documents.stop();
      for (const release of held.values()) release();
      upstream.close();
      pair.stop();
    },
  };
}

/** The names that extension servers are told of, where there are any. */
function headersOf(tls: ServingSettings["tls"]): UserHeaders {
  return {
    username: tls["requestheader-username-headers"][0] ?? "X-Remote-User",
    uid: tls["requestheader-uid-headers"][0] ?? "X-Remote-Uid",
    group: tls["requestheader-group-headers"][0] ?? "X-Remote-Group",
    extraPrefix: tls["requestheader-extra-headers-prefix"][0] ?? "X-Remote-Extra-",
  };
}

/** The health check that fails until every group-version has its APIService. */
function completion(health: Health): () => void {
  let isComplete = false;
  health.check("autoregister-completion", () => (isComplete ? undefined : "APIServices are missing"), { livez: false });
  return () => {
    isComplete = true;
  };
}
