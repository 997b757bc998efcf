import { randomBytes } from "node:crypto";
import { storeSource } from "@orch/access/store-source.js";
import { isStored, type Kind } from "@orch/api/catalog.js";
import { type ConversionObserver, createConverter } from "@orch/api/custom/convert.js";
import { definitionKind } from "@orch/api/custom/definition.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import { type Features, noFeatures } from "@orch/api/features.js";
import { createNotEnforced } from "@orch/api/not-enforced.js";
import type { Permissions } from "@orch/auth/rules.js";
import { tokenIssuer } from "@orch/auth/service-account/token-issuer.js";
import { createNegotiator, customOffers, objectOffers } from "@orch/codec/negotiate.js";
import type { Encryption } from "@orch/encryption/encryption.js";
import type { HistoryPolicy } from "@orch/history/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import { createRenderers } from "@orch/render/renderers.js";
import type { StatusReply, WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { kmsHealth, resourceAdmit, resourceHistory, resourceStatus, resourceWrite } from "@orch/rpc/methods.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Caller, ServerCall, Services } from "@orch/rpc/rpc.js";
import type { StartUpHook } from "@orch/rpc/start-up-hooks.js";
import { webhookCalls } from "@orch/rpc/webhook-calls.js";
import { systemClock } from "@orch/runtime/clock.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { ApiError, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { createTokenKey } from "@orch/store/token-key.js";
import { type AdmissionPlugin, createAdmission } from "./admission/admission.js";
import { usualConfigurations } from "./admission/configurations.js";
import { localBuckets, type SharedBuckets, sharedOrLocal } from "./admission/event-rate-limit/buckets.js";
import { type PluginSettings, usualTolerationSeconds } from "./admission/flags.js";
import { createPluginMetrics, measured } from "./admission/measured.js";
import { namespaceLifecycleName } from "./admission/namespace-lifecycle.js";
import { namespaceAutoProvisionName, provisionNamespace } from "./admission/namespaces/provision.js";
import { outsideAdmission } from "./admission/outside.js";
import { usuallyOff } from "./admission/plugin-names.js";
import { admissionPlugins } from "./admission/plugins.js";
import { createPolicyMetrics, noPolicyMetrics } from "./admission/policies/metrics.js";
import { stepsMeasured } from "./admission/step-metrics.js";
import { createWebhookMetrics, noWebhookMetrics } from "./admission/webhooks/metrics.js";
import type { GatewayAddress } from "./allocation/root-service.js";
import { type AllocationConfig, createServiceAllocation } from "./allocation/service-allocation.js";
import { type DefinitionKeeperDeps, keepDefinitions } from "./definitions/keep.js";
import { learnDefinition } from "./definitions/learn.js";
import { runExpiry } from "./expiry.js";
import { explainWrite } from "./explain/explain-write.js";
import { toldPlugins } from "./explain/told-plugins.js";
import { keepFlowObjects } from "./flow-objects-keeper.js";
import { createKeeper, type HistoryKeeper } from "./history/keep.js";
import { createHistoryMetrics } from "./history/metrics.js";
import { readHistory } from "./history/read.js";
import { isReseal, reseal } from "./history/reseal.js";
import { isRestore, restore } from "./history/restore.js";
import { collectIdentityLeases } from "./identity-leases.js";
import { createMirrors } from "./mirror.js";
import { createNamespaces } from "./namespaces.js";
import { createPrerequisite } from "./prerequisite.js";
import { ensureRbacObjects } from "./rbac/bootstrap.js";
import { createStartUp } from "./start-up.js";
import { ensureSystemNamespaces } from "./system-namespaces.js";
import { ensureSystemPriorityClasses } from "./system-priority-classes.js";
import { createLargeWrites, type LargeWrites, largeBytes } from "./thread/large-writes.js";
import { registerLargeWriteMetrics } from "./thread/metrics.js";
import { requestToken, type TokenService, type TokenSettings } from "./token-request.js";
import { type Staging, serveTransactions } from "./transactions.js";
import { withNotes } from "./write/audit-notes.js";
import { bind } from "./write/bind.js";
import { create } from "./write/create.js";
import { remove } from "./write/deletion/delete.js";
import { removeCollection } from "./write/deletion/delete-collection.js";
import { evict } from "./write/evict.js";
import { patch } from "./write/patching/patch.js";
import { admitReview } from "./write/review/admit-review.js";
import { remembering } from "./write/storing/recent-states.js";
import { update } from "./write/update.js";
import { type Admission, keyOf, TooLargeHere, type Write, type WriteDeps } from "./write/write.js";

export interface ResourceConfig {
  /** The API groups this service owns; undefined for all of them. */
  readonly groups: readonly string[] | undefined;
  /** How long objects of kinds that expire are kept after their last change. */
  readonly eventTtlMs: number;
  /** CBOR is read and written (gate CBORServingAndStorage). */
  readonly cbor: boolean;
  /** What services are given. */
  readonly allocation: AllocationConfig;
  /** Tokens of service accounts; undefined where nobody signs any. */
  readonly tokens?: TokenSettings | undefined;
  /** Whose past is kept; nobody's where absent. */
  readonly history?: HistoryPolicy | undefined;
  /** Where absent, the plugins run that usually do. */
  readonly admission?: PluginSettings;
  /** Mutating policies are asked (gate MutatingAdmissionPolicy). */
  readonly mutatingPolicies?: boolean;
  /** There is a controller of StorageVersionMigrations (gate StorageVersionMigrator). */
  readonly migratesStorage?: boolean;
  /** Features whose fields are kept; none where absent. */
  readonly features?: Features;
  /** Pods claim devices. */
  readonly claimsDevices?: boolean;
  /** The controller that protects classes of volumes' attributes has rights. */
  readonly hasVolumeAttributes?: boolean;
  /** The controller that forgets servers' storage versions has rights. */
  readonly tracksVersions?: boolean;
  /** Bytes of states that are kept for the next change of their objects; 32 MiB where absent. */
  readonly recentBytes?: number;
  /** Large writes go to a thread of their own, whose catalog is made of this; all are made here where absent. */
  readonly thread?: { readonly runtimeConfig: readonly string[] };
}

export interface ResourceDeps {
  readonly store: Store;
  readonly catalog: LiveCatalog;
  readonly naming: Naming;
  readonly services: Services;
  /** The services that call webhooks. */
  readonly webhooks: Pick<Caller, "call">;
  readonly permissions: Permissions;
  readonly log: (what: string, error: unknown) => void;
  readonly metrics?: Metrics;
  readonly conversionObserver?: ConversionObserver | undefined;
  /** Makes a health check that fails until what it returned is called; of the process, where it shows them itself. */
  readonly postStartHook?: (hook: StartUpHook) => () => void;
  /** Whether the store takes nothing but what is essential, for want of room. */
  readonly storeIsFull?: () => boolean;
  readonly noteWork?: NoteWork | undefined;
  /** Of events, which several services take from; each has its own where absent, and while these are away. */
  readonly sharedBuckets?: SharedBuckets | undefined;
  /** Of the store, where it encrypts. */
  readonly encryption?: Pick<Encryption, "onOtherKeys" | "health"> | undefined;
  readonly now: () => number;
  readonly newUid: () => string;
  readonly random: () => number;
}

export interface Resource {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Settles when the objects that must always be there are: the system's namespaces, roles and bindings. */
  readonly bootstrapped: Promise<void>;
  /** From now on the root service leads to these gateways; called once they are known. */
  leadTo(gateway: GatewayAddress): void;
  /** The thread of large writes, where there is one. */
  readonly large: LargeWrites | undefined;
}

/** What a service that is ready says is what it cannot do all the same. */
const noRoom = "the store has no room left: only deletions, lease renewals and the server's own writes are taken";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const usualPlugins: PluginSettings = {
  disabled: usuallyOff,
  tolerationSeconds: usualTolerationSeconds,
  configurations: usualConfigurations,
};

/** Validates and stores the writes of its API groups. */
export function createResource(config: ResourceConfig, deps: ResourceDeps): Resource {
  const { naming, store } = deps;
  const { builtIn: catalog } = deps.catalog;
  const namespaceKind = catalog.kind("v1", "Namespace");
  if (namespaceKind === undefined) throw new TypeError("the catalog has no Namespace");
  const prefix = key(`${naming.storePrefix}${namespaceKind.storage.prefix}/`);
  const { admission = usualPlugins } = config;
  const namespaces = createNamespaces({
    ...{ store, prefix, log: deps.log },
    anyway: admission.disabled.has(namespaceLifecycleName),
    provision: admission.disabled.has(namespaceAutoProvisionName)
      ? undefined
      : (name) => provisionNamespace(writes, namespaceKind, name),
  });
  const offers = objectOffers(naming, config);
  const formats = createNegotiator(offers);
  const customFormats = createNegotiator(customOffers(offers));
  const renderers = createRenderers(catalog, naming.metaGroup);
  const tokenKey = createTokenKey({ store, storePrefix: naming.storePrefix, random: randomBytes });
  const { limits } = admission.configurations.eventRateLimit;
  const ownBuckets = localBuckets(limits, () => systemClock.monotonic());
  const buckets = deps.sharedBuckets === undefined ? ownBuckets : sharedOrLocal(limits, deps.sharedBuckets, ownBuckets);
  const mirrors = createMirrors({ ...deps, catalog });
  // Threads ask nobody outside: what is configured for that is not sent to them.
  const configured = createMirrors({ ...deps, catalog });
  const allocationDeps = { ...deps, catalog, mirrorOf: configured.of };
  const allocation = createServiceAllocation(config.allocation, allocationDeps, () => writes);
  const outside = outsideAdmission({
    ...{ ...deps, catalog, disabled: admission.disabled, mirrorOf: configured.of, pause },
    namespaces: mirrors.of(namespaceKind),
    imagePolicy: admission.configurations.imagePolicy,
    mutatingPolicies: config.mutatingPolicies ?? false,
    policyMetrics: deps.metrics === undefined ? noPolicyMetrics : createPolicyMetrics(deps.metrics),
    metrics: deps.metrics === undefined ? noWebhookMetrics : createWebhookMetrics(deps.metrics),
    monotonic: () => systemClock.monotonic(),
  });
  const unmeasured = admissionPlugins({
    ...{ ...admission, naming, catalog, pause, buckets },
    mirrorOf: mirrors.of,
    outside: outside.plugins,
  });
  const plugins = deps.metrics === undefined ? unmeasured : measuredBy(deps.metrics, unmeasured);
  const owns = (group: string): boolean => config.groups === undefined || config.groups.includes(group);
  const keeper =
    config.history &&
    createKeeper({
      ...{ ...deps, policy: config.history, storePrefix: naming.storePrefix, owns },
      metrics: deps.metrics && createHistoryMetrics(deps.metrics),
    });
  const remembered = remembering(keeper === undefined ? store : noting(store, keeper), config.recentBytes);
  deps.encryption?.onOtherKeys(remembered.forget);
  const writes: WriteDeps = {
    ...deps,
    catalog,
    ...remembered,
    tokenKey,
    namespaces,
    formats,
    customFormats,
    renderers,
    allocations: allocation.allocations,
    admission: admissionOf(deps.metrics, createAdmission(plugins, outside.mutators)),
    explainedAdmission: createAdmission(toldPlugins(plugins), outside.mutators),
    convert: createConverter({
      group: naming.group("apiextensions"),
      call: webhookCalls(deps.webhooks, "conversion"),
      newUid: deps.newUid,
      observer: deps.conversionObserver,
    }),
    notEnforced: createNotEnforced(naming, config.allocation),
    features: config.features ?? noFeatures,
    history: config.history,
    cbor: config.cbor,
    largestHere: Number.POSITIVE_INFINITY,
  };
  const large =
    config.thread === undefined
      ? undefined
      : createLargeWrites({
          ...config.thread,
          deps: writes,
          naming,
          admission,
          buckets,
          rangesAreObjects: config.allocation.rangesAreObjects ?? false,
          mirrored: (namespace) => mirrors.at(namespace),
          log: deps.log,
        });
  if (large !== undefined && deps.metrics !== undefined) registerLargeWriteMetrics(deps.metrics, large);
  const knowing = createKnowing(writes, deps.catalog);
  const tokens = tokenService(config.tokens, deps);

  const handle = (request: WriteRequest, call: ServerCall, staging?: Staging): Promise<WriteReply> => {
    if (!owns(request.group)) throw unknownPath();
    const requested = deps.catalog.now.find(request.group, request.version, request.resource);
    return requested === undefined
      ? handleLater(request, call, staging)
      : handleKnown({ requested, request, staging }, call);
  };
  /** Of a kind that the gateway knows and this service perhaps not yet. */
  const handleLater = async (request: WriteRequest, call: ServerCall, staging?: Staging): Promise<WriteReply> => {
    await learnDefinition({ store, naming, catalog: deps.catalog }, request);
    const requested = deps.catalog.now.find(request.group, request.version, request.resource);
    if (requested === undefined) throw unknownPath();
    return handleKnown({ requested, request, staging }, call);
  };
  const handleKnown = ({ requested, request, staging }: Asked, call: ServerCall): Promise<WriteReply> => {
    deps.noteWork?.(request.verb, request, request.body.length);
    const known = knowing();
    const { all, bounded } = staging === undefined ? known : stagedIn(known, { requested, request, staging });
    const conversions: Write["conversions"] = requested.custom?.webhook === undefined ? undefined : new Map();
    const { deadline, span } = call;
    const write: Write = { deps: all, kind: requested.hub, requested, request, deadline, conversions, span, staging };
    if (writes.admission.asksAnybody(write)) return waiting(write, (counting) => performWrite(counting, tokens));
    if (large === undefined || !mayGoToThread(write)) return performWrite(write, tokens);
    if (request.body.length > largeBytes) return large.write(write, call);
    // A creation begins from no state that could be large.
    if (request.verb === "create") return performWrite(write, tokens);
    return performWrite({ ...write, deps: bounded }, tokens).catch((error: unknown) => {
      if (error instanceof TooLargeHere) return large.write(write, call);
      throw error;
    });
  };

  const status = async (): Promise<StatusReply> => {
    const revision = await store.revision();
    const { unfinished } = startUp;
    if (!namespaces.loaded) return { ready: false, revision, message: "namespaces are not loaded yet", unfinished };
    if (!mirrors.loaded || !configured.loaded) {
      return { ready: false, revision, message: "what admission depends on is not loaded yet", unfinished };
    }
    const missing = prerequisites.find(({ isDone }) => !isDone);
    if (missing !== undefined) {
      return { ready: false, revision, message: `${missing.what} are not there yet`, unfinished };
    }
    return { ready: true, revision, message: deps.storeIsFull?.() === true ? noRoom : "", unfinished };
  };

  deps.services.unary(resourceWrite, (request, call) => handle(request, call));
  serveTransactions(deps.services, {
    store: remembered.store,
    perform: handle,
    clock: systemClock,
    newId: deps.newUid,
  });
  deps.services.unary(resourceAdmit, (request, { deadline }) => {
    const requested = deps.catalog.builtIn.find(request.group, request.version, request.resource);
    if (requested === undefined || !owns(request.group)) throw unknownPath();
    const write: Write = { deps: knowing().all, kind: requested.hub, requested, request, deadline };
    return waiting(write, (counting) => withNotes(counting, admitReview));
  });
  deps.services.unary(resourceHistory, async (request, { deadline, span }) => {
    if (!owns(request.group)) throw unknownPath();
    const find = (): Kind | undefined => deps.catalog.now.find(request.group, request.version, request.resource);
    if (find() === undefined) await learnDefinition({ store, naming, catalog: deps.catalog }, request);
    const requested = find();
    if (requested === undefined) throw unknownPath();
    const conversions = requested.custom?.webhook === undefined ? undefined : new Map();
    return readHistory({ deps: knowing().all, kind: requested.hub, requested, request, deadline, span, conversions });
  });
  deps.services.unary(resourceStatus, status);
  // Gateways ask here: they have no way to the service of keys.
  deps.services.unary(kmsHealth, () => deps.encryption?.health() ?? { checks: [], reloads: false });

  const definitionDeps: DefinitionKeeperDeps = {
    ...writes,
    kind: definitionKind(catalog),
    definitions: storeSource({ ...deps, catalog, clock: systemClock }),
    log: deps.log,
  };
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  const startUp = createStartUp(deps.postStartHook ?? (() => () => {}));
  const ownsRoles = owns(naming.group("rbac.authorization"));
  const systemNamespaces = createPrerequisite("the system's namespaces", {
    make: async () => owns("") && (await ensureSystemNamespaces({ deps: writes, kind: namespaceKind })),
    finished: startUp.finishes("start-system-namespaces-controller"),
    log: deps.log,
  });
  const roles = createPrerequisite("the system's roles and bindings", {
    make: async () =>
      ownsRoles &&
      (await ensureRbacObjects(writes, { ...config, rangesAreObjects: config.allocation.rangesAreObjects ?? false })),
    finished: startUp.finishes("rbac/bootstrap-roles"),
    log: deps.log,
  });
  const priorityClasses = createPrerequisite("the system's priority classes", {
    make: async () => owns(naming.group("scheduling")) && (await ensureSystemPriorityClasses(writes)),
    finished: startUp.finishes("scheduling/bootstrap-system-priority-classes"),
    log: deps.log,
  });
  const prerequisites = [systemNamespaces, roles, priorityClasses];
  const ensured = startUp.finishes("priority-and-fairness-config-producer");
  const repaired = startUp.finishes("start-service-ip-repair-controllers");
  const bootstrap = async (): Promise<void> => {
    for (const prerequisite of prerequisites) await prerequisite.run(abort.signal);
  };

  return {
    async start() {
      mirrors.start(abort.signal);
      configured.start(abort.signal);
      const expiring = catalog.storedKinds().filter((k) => k.storage.ttlSeconds !== undefined && owns(k.group));
      const expiry = runExpiry({ ...writes, kinds: expiring, ttlMs: config.eventTtlMs, log: deps.log }, abort.signal);
      const ownsFlow = owns(naming.group("flowcontrol.apiserver"));
      const flow = ownsFlow ? keepFlowObjects({ ...writes, log: deps.log, ensured }, abort.signal) : ensured();
      const ownsLeases = owns(naming.group("coordination"));
      const leases = ownsLeases ? collectIdentityLeases({ ...writes, log: deps.log }, abort.signal) : undefined;
      const bootstrapped = systemNamespaces.done;
      const allocating = owns("") ? allocation.run(abort.signal, { bootstrapped, repaired }) : repaired();
      const definitions = owns(definitionKind(catalog).group)
        ? keepDefinitions(definitionDeps, abort.signal)
        : undefined;
      const kept = [expiry, flow, allocating, leases, definitions, keeper?.run(abort.signal)];
      running = Promise.all([namespaces.run(abort.signal), bootstrap(), ...kept]).then(() => {});
    },
    async stop() {
      abort.abort();
      outside.stop();
      await large?.close();
      await running;
    },
    large,
    bootstrapped: Promise.all(prerequisites.map(({ done }) => done)).then(() => {}),
    leadTo: allocation.leadTo,
  };
}

function admissionOf(metrics: Metrics | undefined, admission: Admission): Admission {
  return metrics === undefined ? admission : stepsMeasured(admission, metrics, () => systemClock.monotonic());
}

function measuredBy(metrics: Metrics, plugins: readonly AdmissionPlugin[]): readonly AdmissionPlugin[] {
  const measuring = { observe: createPluginMetrics(metrics), now: () => systemClock.monotonic() };
  return plugins.map((plugin) => measured(plugin, measuring));
}

interface Asked {
  readonly requested: Kind;
  readonly request: WriteRequest;
  /** Of a write that waits for others. */
  readonly staging: Staging | undefined;
}

interface Known {
  readonly all: WriteDeps;
  readonly bounded: WriteDeps;
}

function stagedIn({ all, bounded }: Known, { requested, request, staging }: Asked & { staging: Staging }): Known {
  const store = staging.storeOver(all.store, keyOf({ deps: all, kind: requested.hub, request }, request.name));
  return { all: { ...all, store }, bounded: { ...bounded, store } };
}

/** What writes need, with the catalog of the moment: a write keeps the one with which it began. */
function createKnowing(writes: WriteDeps, catalog: LiveCatalog): () => Known {
  const withCatalog = (): Known => {
    const all = { ...writes, catalog: catalog.now };
    return { all, bounded: { ...all, largestHere: largeBytes } };
  };
  let made = withCatalog();
  return () => {
    if (made.all.catalog !== catalog.now) made = withCatalog();
    return made;
  };
}

/** Tells the keeper of what is written. */
function noting(store: Store, keeper: HistoryKeeper): Store {
  const { transactions } = store;
  return {
    ...store,
    transactions: transactions && {
      async commit(changes) {
        const answer = await transactions.commit(changes);
        if (answer.done) for (const { note } of changes) if (note !== undefined) keeper.noted(note);
        return answer;
      },
    },
    async swap(change) {
      const swap = await store.swap(change);
      if (swap.done && change.note !== undefined) keeper.noted(change.note);
      return swap;
    },
  };
}

function tokenService(settings: TokenSettings | undefined, deps: ResourceDeps): TokenService | undefined {
  return settings === undefined ? undefined : { ...settings, issuer: tokenIssuer({ ...settings, ...deps }) };
}

/**
 * Tokens are signed here, webhooks are asked from here, a deletion of a collection is many small steps, and no thread reads
 * objects' past.
 */
function mayGoToThread({ request: { verb, subresource }, conversions }: Write): boolean {
  if (isRestore(subresource) || isReseal(subresource)) return false;
  return verb !== "deletecollection" && subresource !== "token" && conversions === undefined;
}

/** A write about which others are asked: the answer says how long they took. */
async function waiting(write: Write, perform: (write: Write) => Promise<WriteReply>): Promise<WriteReply> {
  const waited = { mutatingMs: 0, validatingMs: 0 };
  const reply = await perform({ ...write, waited });
  const waitedMs = waited.mutatingMs + waited.validatingMs;
  return waitedMs === 0 ? reply : { ...reply, waitedMs };
}

/** A write by its verb and subresource, in whichever thread. */
export function performWrite(write: Write, tokens: TokenService | undefined): Promise<WriteReply> {
  const { explain } = write.request;
  if (explain !== undefined && write.explaining === undefined) {
    return explainWrite(write, explain, (told) => performWrite(told, tokens));
  }
  if (write.request.audit === undefined) return performPlain(write, tokens);
  return withNotes(write, async (noting) => performPlain(noting, tokens));
}

function performPlain(write: Write, tokens: TokenService | undefined): Promise<WriteReply> {
  const { requested, request } = write;
  if (request.subresource !== "") return performOnSubresource(write, tokens);
  if (!requested.verbs.includes(request.verb)) throw methodNotAllowed();
  if (requested.group === "" && requested.kind === "Binding") return bind(write);
  // Other kinds that are only created are questions, not objects.
  if (!isStored(requested)) throw notAvailable(requested.plural);
  return perform(write);
}

function performOnSubresource(write: Write, tokens: TokenService | undefined): Promise<WriteReply> {
  const { requested, request } = write;
  if (isRestore(request.subresource)) return restore(write);
  if (isReseal(request.subresource)) return reseal(write);
  const subresource = requested.subresources.find((s) => s.name === request.subresource);
  if (subresource === undefined) throw unknownPath();
  const { verbs, internal = [] } = subresource;
  if (!verbs.includes(request.verb) && !internal.includes(request.verb)) throw methodNotAllowed();
  const isPart = subresource.kind === requested.kind || subresource.name === "scale";
  if (request.verb === "update" && isPart) return update(write);
  if (request.verb === "patch" && isPart) return patch(write);
  if (subresource.name === "binding") return bind(write);
  if (subresource.name === "eviction") return evict(write);
  if (subresource.kind === "TokenRequest") {
    if (tokens === undefined) throw unknownPath();
    return requestToken(write, tokens);
  }
  throw notAvailable(`${requested.plural}/${subresource.name}`);
}

function notAvailable(what: string): ApiError {
  return new ApiError("NotImplemented", `${what} is not available in this build`);
}

function perform(write: Write): Promise<WriteReply> {
  switch (write.request.verb) {
    case "create":
      return create(write);
    case "update":
      return update(write);
    case "delete":
      return remove(write);
    case "deletecollection":
      return removeCollection(write);
    case "patch":
      return patch(write);
  }
}
