import { after, before, type TestContext } from "node:test";
import { valueAt } from "@orch/api/object.js";
import type { Client } from "@orch/client/client.js";
import { createMirror } from "@orch/client/mirror.js";
import { type ApiObject, type Collection, isApiObject, pathOf } from "@orch/client/objects.js";
import { patchTypes } from "@orch/client/patch-types.js";
import { systemClock } from "@orch/runtime/clock.js";
import { ApiError } from "@orch/status/api-error.js";
import { clientOf } from "../harness/clients.js";
import { type StandaloneTarget, startStandalone } from "../harness/target.js";
import { until } from "../harness/until.js";

/** Groups of the kinds that conformance tests are about, in the kubernetes dialect. */
const groups = {
  pods: "",
  services: "",
  endpoints: "",
  secrets: "",
  configmaps: "",
  namespaces: "",
  nodes: "",
  events: "",
  resourcequotas: "",
  replicationcontrollers: "",
  deployments: "apps",
  replicasets: "apps",
  statefulsets: "apps",
  daemonsets: "apps",
  controllerrevisions: "apps",
  jobs: "batch",
  cronjobs: "batch",
  poddisruptionbudgets: "policy",
  endpointslices: "discovery.k8s.io",
} as const;

export type Resource = keyof typeof groups;

const patienceMs = 60_000;

/** A namespace of its own, and what a test does in it. */
export interface Space {
  readonly namespace: string;
  create(resource: Resource, name: string, fields: object, labels?: Labels): Promise<ApiObject>;
  get(resource: Resource, name: string, subresource?: string): Promise<ApiObject>;
  /** undefined where it is not there. */
  find(resource: Resource, name: string): Promise<ApiObject | undefined>;
  list(resource: Resource, labelSelector?: string): Promise<readonly ApiObject[]>;
  /** By merge patch. */
  patch(resource: Resource, name: string, patch: object, subresource?: string): Promise<ApiObject>;
  /** Replaces it, as it stands, by what is made of it. */
  update(resource: Resource, name: string, change: (object: ApiObject) => object, subresource?: string): Promise<void>;
  remove(resource: Resource, name: string, policy?: "Orphan" | "Background" | "Foreground"): Promise<void>;
  removeAll(resource: Resource, labelSelector: string): Promise<void>;
  /** A POST to a subresource; its code. */
  post(resource: Resource, name: string, subresource: string, body: object): Promise<number>;
  /** Waits until an object is as it should be. */
  becomes(resource: Resource, name: string, what: string, is: (object: ApiObject) => boolean): Promise<ApiObject>;
  /** Waits until the namespace's pods, of these labels, are as they should be. */
  pods(
    what: string,
    are: (pods: readonly ApiObject[]) => boolean,
    labelSelector?: string,
  ): Promise<readonly ApiObject[]>;
  /** Waits until there are so many. */
  counts(resource: Resource, count: number): Promise<void>;
  /** Shows every state of the namespace's pods, as one watcher sees them, until the test ends. */
  watchPods(t: TestContext, look: (pods: readonly ApiObject[]) => void): Promise<void>;
}

export type Labels = Readonly<Record<string, string>>;

export interface ConformanceCluster {
  space(): Promise<Space>;
  client(): Client;
  target(): StandaloneTarget;
}

/** A server with three simulated nodes for all tests of a file, each of which takes a namespace of its own. */
export function conformanceCluster(args: readonly string[] = [], controllers = "*"): ConformanceCluster {
  let target: StandaloneTarget | undefined;
  let client: Client | undefined;
  let spaces = 0;
  const running = () => {
    if (target === undefined || client === undefined) throw new Error("the server does not run");
    return { target, client };
  };
  before(async () => {
    target = await startStandalone({
      args: [`--controllers=${controllers}`, "--simulate-nodes=3", "--pod-grace=100ms", ...args],
    });
    client = await clientOf(target);
    await until("three nodes", async () => ((await listOf("nodes", "")).length === 3 ? true : undefined));
  });
  after(async () => {
    await client?.close();
    await target?.stop();
  });
  const listOf = async (resource: Resource, namespace: string) =>
    (await running().client.list(collectionOf(resource, namespace))).items;
  return {
    client: () => running().client,
    target: () => running().target,
    async space() {
      const namespace = `c${++spaces}`;
      const { client: connected, target: server } = running();
      await connected.create(collectionOf("namespaces", ""), { metadata: { name: namespace } });
      const account: Collection = { ...collectionOf("pods", namespace), resource: "serviceaccounts" };
      await until("the account of pods", () => connected.get(account, "default").catch(() => undefined));
      const maps: Collection = { ...collectionOf("pods", namespace), resource: "configmaps" };
      const authority = server.naming.systemName("root-ca.crt");
      if (controllers === "*") {
        await until("the certificate of the server", () => connected.get(maps, authority).catch(() => undefined));
      }
      return spaceIn(namespace, connected, server);
    },
  };
}

function spaceIn(namespace: string, client: Client, { naming }: StandaloneTarget): Space {
  const of = (resource: Resource) => collectionOf(resource, namespace);
  const pathTo = (resource: Resource, name: string, subresource?: string) => pathOf(of(resource), name, subresource);
  const sent = async (method: "GET" | "PUT" | "POST", path: string, body?: object): Promise<ApiObject> => {
    const answer = await client.raw({ method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const object: unknown = JSON.parse(answer.body.toString());
    if (isApiObject(object)) return object;
    throw new TypeError(`${method} ${path} was answered with no object`);
  };
  const list = async (resource: Resource, labelSelector?: string) =>
    (await client.list(of(resource), labelSelector === undefined ? {} : { labelSelector })).items;
  return {
    namespace,
    create: (resource, name, fields, labels = {}) =>
      client.create(of(resource), { metadata: { name, labels }, ...fields }),
    get: (resource, name, subresource) => sent("GET", pathTo(resource, name, subresource)),
    find: (resource, name) => client.get(of(resource), name).catch(absent),
    list,
    patch: (resource, name, body, subresource) =>
      client.patch(of(resource), name, {
        type: patchTypes.merge,
        body,
        ...(subresource === undefined ? {} : { subresource }),
      }),
    async update(resource, name, change, subresource) {
      const path = pathTo(resource, name, subresource);
      // This one can be written alone.
      const read = subresource === "finalize" ? pathTo(resource, name) : path;
      await until(`an update of ${name}`, async () => {
        const body = change(await sent("GET", read));
        return await sent("PUT", path, body).catch((error: unknown) => {
          if (error instanceof ApiError && error.code === 409) return undefined;
          throw error;
        });
      });
    },
    async remove(resource, name, propagationPolicy = "Background") {
      await client.delete(of(resource), name, { propagationPolicy });
    },
    async removeAll(resource, labelSelector) {
      await client.deleteCollection(of(resource), { labelSelector, propagationPolicy: "Background" });
    },
    async post(resource, name, subresource, body) {
      const path = pathTo(resource, name, subresource);
      return await client.raw({ method: "POST", path, body: JSON.stringify(body) }).then(
        ({ status }) => status,
        (error: unknown) => {
          if (error instanceof ApiError) return error.code;
          throw error;
        },
      );
    },
    becomes: (resource, name, what, is) =>
      until(
        `${resource} ${name} ${what}`,
        async () => {
          const object = await client.get(of(resource), name);
          return is(object) ? object : undefined;
        },
        patienceMs,
      ),
    pods: (what, are, labelSelector) =>
      until(
        `pods of ${namespace} ${what}`,
        async () => {
          const pods = await list("pods", labelSelector);
          return are(pods) ? pods : undefined;
        },
        patienceMs,
      ),
    async counts(resource, count) {
      const what = `${count} ${resource} in ${namespace}`;
      await until(what, async () => ((await list(resource)).length === count ? true : undefined), patienceMs);
    },
    async watchPods(t, look) {
      const mirror = createMirror({ client, naming, clock: systemClock, random: () => 0 });
      const changed = (): void => look([...view.store.values()]);
      const view = mirror.view<ApiObject>({
        ...{ collection: of("pods"), sees: "objects", keep: (object: ApiObject) => object, onError: () => {} },
        handlers: { added: changed, modified: changed, deleted: changed },
      });
      const abort = new AbortController();
      const run = view.run(abort.signal);
      t.after(async () => {
        abort.abort();
        await run;
      });
      await view.synced;
    },
  };
}

function collectionOf(resource: Resource, namespace: string): Collection {
  const scope = namespace === "" || resource === "namespaces" || resource === "nodes" ? {} : { namespace };
  return { group: groups[resource], version: "v1", resource, ...scope };
}

function absent(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 404) return undefined;
  throw error;
}

/** A count that is absent at zero. */
export const countAt = (object: ApiObject, path: string): number => Number(valueAt(object, path) ?? 0);

export const isLeaving = (object: ApiObject): boolean => object.metadata["deletionTimestamp"] !== undefined;

export function hasCondition(object: ApiObject, type: string, status = "True", reason?: string): boolean {
  const conditions = valueAt(object, "status.conditions");
  return (
    Array.isArray(conditions) &&
    conditions.some((one) => one.type === type && one.status === status && (reason ?? one.reason) === one.reason)
  );
}

export const isReady = (pod: ApiObject): boolean => hasCondition(pod, "Ready");

export function imageOf(pod: ApiObject): unknown {
  const [container] = Object(valueAt(pod, "spec.containers"));
  return container?.image;
}

/** The controller of an object. */
export function controllerOf({ metadata }: ApiObject): unknown {
  const owners = metadata["ownerReferences"];
  return Array.isArray(owners) ? owners.find((owner) => owner.controller === true)?.uid : undefined;
}

/** One whose pods run on and on. */
export const templateOf = (labels: Labels, image = "image:1") => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image }] },
});

/** One whose pods run and are not ready before somebody opens their gate. */
export const gatedTemplateOf = (labels: Labels, image = "image:1") => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image }], readinessGates: [{ conditionType: gate }] },
});

const gate = "example.com/open";

/** Opens the gate of a pod, or shuts it. */
export async function openGate(space: Space, pod: string, open: boolean): Promise<void> {
  await space.update(
    "pods",
    pod,
    (object) => {
      const conditions = valueAt(object, "status.conditions");
      const others = Array.isArray(conditions) ? conditions.filter(({ type }) => type !== gate) : [];
      const now = new Date().toISOString().replace(/\.\d+/, "");
      const mine = { type: gate, status: open ? "True" : "False", lastTransitionTime: now };
      return { ...object, status: { ...Object(object["status"]), conditions: [...others, mine] } };
    },
    "status",
  );
}

/** One whose pods end by themselves. */
export const endingTemplate = (after: string, code: number, restartPolicy = "Never") => ({
  metadata: { annotations: { "sim.kubernetes.io/run-for": after, "sim.kubernetes.io/exit-code": String(code) } },
  spec: { restartPolicy, containers: [{ name: "c", image: "image:1" }] },
});
