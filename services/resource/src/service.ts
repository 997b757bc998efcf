import { randomBytes } from "node:crypto";
import { type Catalog, isStored } from "@orch/api/catalog.js";
import type { Permissions } from "@orch/auth/rules.js";
import { tokenIssuer } from "@orch/auth/service-account/token-issuer.js";
import { createNegotiator, objectOffers } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import { createRenderers } from "@orch/render/renderers.js";
import type { StatusReply, WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceStatus, resourceWrite } from "@orch/rpc/methods.js";
import type { Services } from "@orch/rpc/rpc.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { ApiError, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import { key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { createTokenKey } from "@orch/store/token-key.js";
import { type AdmissionPlugin, createAdmission } from "./admission/admission.js";
import { certificateApproval, certificateSigning } from "./admission/certificate-signers.js";
import { certificateSubjectRestriction } from "./admission/certificate-subject.js";
import { nodeRestriction } from "./admission/node-restriction.js";
import { serviceAccountAdmission } from "./admission/service-account.js";
import type { GatewayAddress } from "./allocation/root-service.js";
import { type AllocationConfig, createServiceAllocation } from "./allocation/service-allocation.js";
import { bind } from "./bind.js";
import { create } from "./create.js";
import { remove } from "./delete.js";
import { removeCollection } from "./delete-collection.js";
import { evict } from "./evict.js";
import { runExpiry } from "./expiry.js";
import { keepFlowObjects } from "./flow-objects-keeper.js";
import { createNamespaces } from "./namespaces.js";
import { patch } from "./patch.js";
import { createPrerequisite } from "./prerequisite.js";
import { ensureRbacObjects } from "./rbac/bootstrap.js";
import { rbacEscalation } from "./rbac/escalation.js";
import { remembering } from "./recent-states.js";
import { ensureSystemNamespaces } from "./system-namespaces.js";
import { requestToken, type TokenService, type TokenSettings } from "./token-request.js";
import { update } from "./update.js";
import type { Write, WriteDeps } from "./write.js";

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
  /** Of `admission/flags.ts`; every plugin runs where absent. */
  readonly disabledAdmissionPlugins?: ReadonlySet<string>;
  /** Bytes of states that are kept for the next change of their objects; 32 MiB where absent. */
  readonly recentBytes?: number;
}

export interface ResourceDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly services: Services;
  readonly permissions: Permissions;
  readonly log: (what: string, error: unknown) => void;
  readonly metrics?: Metrics;
  readonly now: () => number;
  readonly newUid: () => string;
  readonly random: () => number;
}

export interface Resource {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Settles when the objects that must always be there are: the system's namespaces, roles and bindings. */
  readonly bootstrapped: Promise<void>;
  /** Settles when the roles and bindings are (`rbac/bootstrap-roles` of the reference's health checks). */
  readonly rolesBootstrapped: Promise<void>;
  /** From now on the root service leads to these gateways; called once they are known. */
  leadTo(gateway: GatewayAddress): void;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Validates and stores the writes of its API groups (design, sections 1 and 6). */
export function createResource(config: ResourceConfig, deps: ResourceDeps): Resource {
  const { naming, catalog, store } = deps;
  const namespaceKind = catalog.kind("v1", "Namespace");
  if (namespaceKind === undefined) throw new TypeError("the catalog has no Namespace");
  const prefix = key(`${naming.storePrefix}${namespaceKind.storage.prefix}/`);
  const namespaces = createNamespaces({ store, prefix, log: deps.log });
  const formats = createNegotiator(objectOffers(naming, config));
  const renderers = createRenderers(catalog, naming.metaGroup);
  const allocation = createServiceAllocation(config.allocation, deps, () => writes);
  const tokenKey = createTokenKey({ store, storePrefix: naming.storePrefix, random: randomBytes });
  const disabled = config.disabledAdmissionPlugins ?? new Set();
  const writes: WriteDeps = {
    ...deps,
    ...remembering(store, config.recentBytes),
    tokenKey,
    namespaces,
    formats,
    renderers,
    allocations: allocation.allocations,
    admission: createAdmission(admissionPlugins(naming).filter(({ name }) => !disabled.has(name))),
    cbor: config.cbor,
  };
  const tokens = tokenService(config.tokens, deps);

  const owns = (group: string): boolean => config.groups === undefined || config.groups.includes(group);

  const handle = (request: WriteRequest): Promise<WriteReply> => {
    const requested = catalog.find(request.group, request.version, request.resource);
    if (requested === undefined || !owns(request.group)) throw unknownPath();
    const write: Write = { deps: writes, kind: requested.hub, requested, request };
    if (request.subresource !== "") return performOnSubresource(write, tokens);
    if (!requested.verbs.includes(request.verb)) throw methodNotAllowed();
    if (requested.group === "" && requested.kind === "Binding") return bind(write);
    // Other kinds that are only created are questions, not objects.
    if (!isStored(requested)) throw notAvailable(requested.plural);
    return perform(write);
  };

  const status = async (): Promise<StatusReply> => {
    const revision = await store.revision();
    if (!namespaces.loaded) return { ready: false, revision, message: "namespaces are not loaded yet" };
    const missing = prerequisites.find(({ isDone }) => !isDone);
    return { ready: missing === undefined, revision, message: missing ? `${missing.what} are not there yet` : "" };
  };

  deps.services.unary(resourceWrite, handle);
  deps.services.unary(resourceStatus, status);

  const abort = new AbortController();
  let running: Promise<void> | undefined;
  const ownsRoles = owns(naming.group("rbac.authorization"));
  const systemNamespaces = createPrerequisite("the system's namespaces", {
    make: async () => owns("") && (await ensureSystemNamespaces({ deps: writes, kind: namespaceKind })),
    log: deps.log,
  });
  const roles = createPrerequisite("the system's roles and bindings", {
    make: async () => ownsRoles && (await ensureRbacObjects(writes)),
    log: deps.log,
  });
  const prerequisites = [systemNamespaces, roles];
  const bootstrap = async (): Promise<void> => {
    for (const prerequisite of prerequisites) await prerequisite.run(abort.signal);
  };

  return {
    async start() {
      const expiring = catalog.storedKinds().filter((k) => k.storage.ttlSeconds !== undefined && owns(k.group));
      const expiry = runExpiry({ ...writes, kinds: expiring, ttlMs: config.eventTtlMs, log: deps.log }, abort.signal);
      const ownsFlow = owns(naming.group("flowcontrol.apiserver"));
      const flow = ownsFlow ? keepFlowObjects({ ...writes, log: deps.log }, abort.signal) : undefined;
      const allocating = owns("") ? allocation.run(abort.signal, systemNamespaces.done) : undefined;
      running = Promise.all([namespaces.run(abort.signal), bootstrap(), expiry, flow, allocating]).then(() => {});
    },
    async stop() {
      abort.abort();
      await running;
    },
    bootstrapped: Promise.all(prerequisites.map(({ done }) => done)).then(() => {}),
    rolesBootstrapped: roles.done,
    leadTo: allocation.leadTo,
  };
}

/** In the order in which they are asked; those of access cannot be turned off: no flag knows their names. */
function admissionPlugins(naming: Naming): readonly AdmissionPlugin[] {
  return [
    serviceAccountAdmission({ naming, pause }),
    nodeRestriction(naming),
    certificateApproval(naming),
    certificateSigning(naming),
    certificateSubjectRestriction(naming),
    rbacEscalation(naming),
  ];
}

function tokenService(settings: TokenSettings | undefined, deps: ResourceDeps): TokenService | undefined {
  return settings === undefined ? undefined : { ...settings, issuer: tokenIssuer({ ...settings, ...deps }) };
}

function performOnSubresource(write: Write, tokens: TokenService | undefined): Promise<WriteReply> {
  const { requested, request } = write;
  const subresource = requested.subresources.find((s) => s.name === request.subresource);
  if (subresource === undefined) throw unknownPath();
  if (!subresource.verbs.includes(request.verb)) throw methodNotAllowed();
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
