import type { TestContext } from "node:test";
import type { AnyObject } from "@orch/api/object.js";
import type { Dialect, Naming } from "@orch/naming/naming.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Bed, openBed, type Subject, type SubjectOptions } from "./bed.js";

/** A cluster in which writes are admitted as usual; pods need no service account. */
export interface Admitted extends Subject {
  readonly naming: Naming;
  readonly store: Bed["store"];
  /** The stored object. @throws ApiError */
  make(request: Partial<WriteRequest>, object: object): Promise<AnyObject>;
  /** "ok", or the code and the sentence of the refusal. */
  says(request: Partial<WriteRequest>, object?: object): Promise<string>;
  /** Until what was written last is known to whoever follows the store. */
  settled(): Promise<void>;
  /** A further service on the same store, perhaps with other options, some turns after its start. */
  again(options?: AdmittedOptions): Promise<Admitted>;
}

export interface AdmittedOptions {
  readonly dialect?: Dialect;
  readonly disabled?: readonly string[];
  /** Of the plugins that usually do not run. */
  readonly enabled?: readonly string[];
  readonly configurations?: SubjectOptions["configurations"];
  readonly permissions?: SubjectOptions["permissions"];
  readonly mutatingPolicies?: boolean;
  readonly webhooks?: SubjectOptions["webhooks"];
  readonly tokens?: SubjectOptions["tokens"];
  readonly metrics?: SubjectOptions["metrics"];
}

export async function admitted(t: TestContext, options: AdmittedOptions = {}): Promise<Admitted> {
  return startOn(await openBed(t, options.dialect ?? "kubernetes"), options);
}

async function startOn(bed: Bed, options: AdmittedOptions): Promise<Admitted> {
  const { disabled = [], enabled = [], configurations, permissions, mutatingPolicies = false } = options;
  const subject = await bed.start({
    disabledAdmissionPlugins: new Set(["ServiceAccount", ...disabled]),
    ...{ enabledAdmissionPlugins: enabled, mutatingPolicies },
    ...(configurations === undefined ? {} : { configurations }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
    ...(options.tokens === undefined ? {} : { tokens: options.tokens }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  });
  return {
    ...subject,
    naming: bed.naming,
    store: bed.store,
    make: async (request, object) => subject.read(await subject.write(request, object)),
    async says(request, object) {
      try {
        await subject.write(request, object);
        return "ok";
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return `${error.code} ${error.message}`;
      }
    },
    settled,
    async again(others = {}) {
      const further = await startOn(bed, { ...options, ...others });
      await settled();
      return further;
    },
  };
}

/** Followers of the embedded store are told within a few turns of the event loop after a commit. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

export const podsOf = { resource: "pods" } as const;
export const containers = [{ name: "c", image: "i" }];

/** A pod of one container, with more of its spec. */
export function podOf(name: string, spec: object = {}, metadata: object = {}): object {
  return { metadata: { name, ...metadata }, spec: { containers, ...spec } };
}

/** Requests for the cluster-scoped kinds of a group of the reference's dialect. */
export function clusterWide(resource: string, group: string): Partial<WriteRequest> {
  return { resource, group, namespace: "" };
}
