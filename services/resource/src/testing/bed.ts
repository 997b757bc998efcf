import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Catalog, loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Features } from "@orch/api/features.js";
import type { AnyObject } from "@orch/api/object.js";
import { alwaysAllow } from "@orch/auth/fixed-authorizers.js";
import type { Permissions } from "@orch/auth/rules.js";
import { createNaming, type Dialect, type Naming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { WriteReply, WriteRequest } from "@orch/rpc/messages.js";
import { resourceAdmit, resourceStatus, resourceWrite } from "@orch/rpc/methods.js";
import type { Caller, CallOptions } from "@orch/rpc/rpc.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { openEmbeddedStore } from "@orch/store/embedded-store.js";
import type { Store } from "@orch/store/store.js";
import { type PluginConfigurations, usualConfigurations } from "../admission/configurations.js";
import { usualTolerationSeconds } from "../admission/flags.js";
import { usuallyOff } from "../admission/plugin-names.js";
import type { AllocationConfig } from "../allocation/service-allocation.js";
import { createResource, type Resource, type ResourceConfig } from "../service.js";

const user = { name: "test", uid: "", groups: [], extra: {} };

const usualAllocation: AllocationConfig = {
  addresses: [{ address: [10, 0, 0, 0], bits: 24 }],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** A running resource service of all groups, and how it is written to. */
export interface Subject {
  readonly resource: Resource;
  /** The create of a ConfigMap in `default`, unless the request says otherwise. */
  write(request: Partial<WriteRequest>, object?: object, options?: CallOptions): Promise<WriteReply>;
  /** Has a review admitted. */
  admit(request: Partial<WriteRequest>, object: object): Promise<WriteReply>;
  read(reply: WriteReply): AnyObject;
  /** The same request, not sent. */
  request(request: Partial<WriteRequest>, object?: object): WriteRequest;
  readonly caller: Caller;
}

export interface SubjectOptions {
  /** The bed's own where absent. */
  readonly store?: Store;
  readonly allocation?: Partial<AllocationConfig>;
  readonly permissions?: Permissions;
  readonly tokens?: ResourceConfig["tokens"];
  /** Where absent those that ask for objects which a bed does not have. */
  readonly disabledAdmissionPlugins?: ReadonlySet<string>;
  /** Gates of fields that are on; none where absent. */
  readonly features?: Features;
  /** Of those that usually do not run. */
  readonly enabledAdmissionPlugins?: readonly string[];
  readonly configurations?: PluginConfigurations;
  /** Whether mutating policies are asked. */
  readonly mutatingPolicies?: boolean;
  readonly metrics?: Metrics;
  /** The services that call webhooks; where absent none is asked. */
  readonly webhooks?: Pick<Caller, "call">;
  readonly random?: () => number;
  /** Whether large writes go to a thread. */
  readonly thread?: boolean;
  /** Milliseconds since 1970; the beginning of 2025 where absent. */
  readonly now?: () => number;
  /** Where absent, whatever is logged fails the test. */
  readonly log?: (what: string, error: unknown) => void;
}

/** An embedded store for a test, and resource services on it. */
export interface Bed {
  readonly store: Store;
  readonly naming: Naming;
  start(options?: SubjectOptions): Promise<Subject>;
}

/** What ends at some time: a test, or a measurement. */
interface Ending {
  /** What is to be done then. */
  after(end: () => Promise<void>): void;
}

const catalogs = new Map<Dialect, Catalog>();

/** Of a dialect: read and compiled once for all tests of a file. */
export function catalogOf(naming: Naming): Catalog {
  const catalog = catalogs.get(naming.dialect) ?? loadCatalog(naming);
  catalogs.set(naming.dialect, catalog);
  return catalog;
}

export async function openBed(t: Ending, dialect: Dialect): Promise<Bed> {
  const naming = createNaming(dialect);
  const catalog = catalogOf(naming);
  const path = await mkdtemp(join(tmpdir(), "orch-resource-"));
  const store = await openEmbeddedStore({ path, prefix: naming.storePrefix });
  const running: Resource[] = [];
  t.after(async () => {
    await Promise.all(running.map((resource) => resource.stop()));
    await store.close();
    await rm(path, { recursive: true, force: true });
  });
  const failOnLog = (what: string, error: unknown): void => assert.fail(`${what}: ${String(error)}`);
  let uid = 0;
  const fixed = { newUid: () => `uid-${++uid}` };

  return {
    store,
    naming,
    async start(options = {}) {
      const { log = failOnLog } = options;
      const { services, caller } = createInProcess();
      const allocation = { ...usualAllocation, ...options.allocation };
      const random = options.random ?? (() => 0);
      const permissions = options.permissions ?? { authorizer: alwaysAllow, rules: alwaysAllow };
      const now = options.now ?? (() => Date.parse("2025-01-01T00:00:00Z"));
      const { tokens, disabledAdmissionPlugins = new Set(["ServiceAccount"]) } = options;
      const { enabledAdmissionPlugins: enabled = ["NodeRestriction"] } = options;
      const off = [...usuallyOff].filter((name) => !enabled.includes(name));
      const disabled = new Set([...disabledAdmissionPlugins, ...off]);
      const { configurations = usualConfigurations } = options;
      const admission = { disabled, tolerationSeconds: usualTolerationSeconds, configurations };
      const resource = createResource(
        {
          ...{ groups: undefined, eventTtlMs: 3_600_000, cbor: true, allocation, tokens, admission },
          mutatingPolicies: options.mutatingPolicies ?? false,
          ...(options.features === undefined ? {} : { features: options.features }),
          ...(options.thread === true ? { thread: { runtimeConfig: [] } } : {}),
        },
        {
          store: options.store ?? store,
          naming,
          catalog: createLiveCatalog(catalog),
          services,
          webhooks: options.webhooks ?? { call: () => Promise.reject(new TypeError("no webhook is asked here")) },
          permissions,
          log,
          random,
          now,
          ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
          ...fixed,
        },
      );
      running.push(resource);
      await resource.start();
      await resource.bootstrapped;
      assert.equal((await caller.call(resourceStatus, {})).ready, true);
      const whole = (request: Partial<WriteRequest>, object?: object): WriteRequest => ({
        verb: "create",
        group: "",
        version: "v1",
        resource: "configmaps",
        subresource: "",
        namespace: "default",
        name: "",
        contentType: "application/json",
        body: object === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(object)),
        options: {},
        form: "",
        userAgent: "test/1",
        ifMatch: "",
        user,
        ...request,
      });
      return {
        resource,
        write: (request, object, options) => caller.call(resourceWrite, whole(request, object), options),
        admit: (request, object) => caller.call(resourceAdmit, whole(request, object)),
        read: (reply) => JSON.parse(reply.body.toString()),
        request: whole,
        caller,
      };
    },
  };
}
