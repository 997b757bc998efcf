import assert from "node:assert/strict";
import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Http } from "./http.js";
import { untilSo } from "./until.js";

/** A kind of this build with the least that a client must say to create one. */
export interface Sample {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The deletion of this kind answers the object instead of a Status. */
  readonly deletionAnswersObject?: boolean;
  /** Besides the metadata. */
  readonly minimal: (namespace: string) => object;
  /** Values that the server fills in, at dotted paths. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const nothing = (): object => ({});

export function samples(naming: Naming): readonly Sample[] {
  const core = { apiVersion: "v1", namespaced: true, minimal: nothing, defaults: {} };
  return [
    {
      ...core,
      kind: "Namespace",
      plural: "namespaces",
      namespaced: false,
      defaults: { "status.phase": "Active", "spec.finalizers.0": naming.namespaceFinalizer },
    },
    { ...core, kind: "ConfigMap", plural: "configmaps", minimal: () => ({ data: { k: "v" } }) },
    {
      ...core,
      kind: "Secret",
      plural: "secrets",
      minimal: () => ({ stringData: { k: "v" } }),
      defaults: { type: "Opaque", "data.k": "dg==" },
    },
    {
      ...core,
      kind: "Service",
      plural: "services",
      deletionAnswersObject: true,
      minimal: () => ({ spec: { ports: [{ port: 80 }] } }),
      defaults: {
        "spec.type": "ClusterIP",
        "spec.ports.0.protocol": "TCP",
        "spec.ports.0.targetPort": 80,
        "spec.sessionAffinity": "None",
      },
    },
    {
      ...core,
      kind: "Pod",
      plural: "pods",
      deletionAnswersObject: true,
      minimal: () => ({ spec: { containers: [{ name: "c", image: "example.com/c:1" }] } }),
      defaults: {
        "spec.restartPolicy": "Always",
        "spec.containers.0.imagePullPolicy": "IfNotPresent",
        "status.phase": "Pending",
      },
    },
    { ...core, kind: "Node", plural: "nodes", namespaced: false },
    {
      ...core,
      kind: "Event",
      plural: "events",
      minimal: (namespace) => ({ involvedObject: { namespace, kind: "Pod", name: "p" }, reason: "Testing" }),
    },
    { ...core, kind: "ServiceAccount", plural: "serviceaccounts", deletionAnswersObject: true },
    {
      ...core,
      kind: "EndpointSlice",
      apiVersion: `${naming.group("discovery")}/v1`,
      plural: "endpointslices",
      minimal: () => ({ addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] }),
      defaults: { "ports.0.protocol": "TCP", "ports.0.name": "" },
    },
  ];
}

/** Path of a kind's collection. */
export function collectionPath(sample: Sample, namespace: string): string {
  const root = sample.apiVersion.includes("/") ? `/apis/${sample.apiVersion}` : `/api/${sample.apiVersion}`;
  return sample.namespaced ? `${root}/namespaces/${namespace}/${sample.plural}` : `${root}/${sample.plural}`;
}

/** A namespace of a test's own. */
export async function freshNamespace(http: Http): Promise<string> {
  const answer = await http.post("/api/v1/namespaces", { metadata: { generateName: "e2e-" } });
  assert.equal(answer.status, 201, answer.text);
  const namespace = nameOf(answer.object());
  await hasAccount(http, namespace);
  return namespace;
}

/** Where controllers make accounts, pods are refused for as long as their namespace has none: another controller's matter. */
async function hasAccount(http: Http, namespace: string): Promise<void> {
  const isThere = async (of: string): Promise<boolean> =>
    (await http.get(`/api/v1/namespaces/${of}/serviceaccounts/default`)).status === 200;
  if (await isThere("default")) await untilSo(`the account of ${namespace}`, () => isThere(namespace));
}

/** ConfigMaps of a namespace of a test's own: the kind that most tests use. */
export interface Maps {
  readonly namespace: string;
  /** Path of the collection, or of one object. */
  path(name?: string): string;
  create(name: string, more?: { readonly labels?: object; readonly data?: object }): Promise<ApiObject>;
  /** Replaces the data of the object given. */
  change(object: ApiObject, data: object): Promise<ApiObject>;
  remove(name: string): Promise<void>;
}

export async function freshMaps(http: Http): Promise<Maps> {
  const namespace = await freshNamespace(http);
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const path = (name?: string): string => (name === undefined ? collection : `${collection}/${name}`);
  return {
    namespace,
    path,
    async create(name, { labels = {}, data = {} } = {}) {
      const answer = await http.post(collection, { metadata: { name, labels }, data });
      assert.equal(answer.status, 201, answer.text);
      return answer.object();
    },
    async change(object, data) {
      const answer = await http.put(path(nameOf(object)), { ...object, data });
      assert.equal(answer.status, 200, answer.text);
      return answer.object();
    },
    async remove(name) {
      const answer = await http.delete(path(name));
      assert.equal(answer.status, 200, answer.text);
    },
  };
}

export const nameOf = (object: ApiObject): string => object.metadata.name ?? "";
export const versionOf = (object: ApiObject): string => object.metadata.resourceVersion ?? "";
export const namesOf = (objects: readonly ApiObject[]): readonly string[] => objects.map(nameOf);
