import { generateKeyPairSync } from "node:crypto";
import type { TestContext } from "node:test";
import { allFeatures } from "@orch/api/features.js";
import type { AnyObject } from "@orch/api/object.js";
import { user } from "@orch/auth/testing/attributes.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Dialect, Naming } from "@orch/naming/naming.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import { openBed, type Subject } from "./bed.js";

export const nodeUser = (name: string): UserInfo => user(`system:node:${name}`, "system:nodes", "system:authenticated");
const one = nodeUser("one");
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const tokens = {
  issuer: "https://cluster.example",
  signingKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  apiAudiences: ["api"],
  maxSeconds: 0,
  extend: false,
};

export type Request = Partial<WriteRequest>;

interface Cluster extends Subject {
  readonly naming: Naming;
  /** A write of the node `one`, unless the request says otherwise: "ok", or the sentence of the error with its code. */
  says(request: Request, object?: object): Promise<string>;
  /** Of whoever may do everything. */
  make(request: Request, object: object): Promise<AnyObject>;
}

const everyPlugin: ReadonlySet<string> = new Set();

/** A cluster with two nodes and a pod on each, of the account `app`. */
export async function startNodes(t: TestContext, { dialect = "kubernetes", disabled = everyPlugin }: Options = {}) {
  const bed = await openBed(t, dialect);
  const subject = await bed.start({ tokens, disabledAdmissionPlugins: disabled, features: allFeatures });
  const cluster: Cluster = {
    ...subject,
    naming: bed.naming,
    async says(request, object) {
      try {
        await subject.write({ user: one, ...request }, object);
        return "ok";
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return `${error.code} ${error.message}`;
      }
    },
    make: async (request, object) => subject.read(await subject.write(request, object)),
  };
  const { make } = cluster;
  await make({ resource: "serviceaccounts" }, { metadata: { name: "default" } });
  await make({ resource: "serviceaccounts" }, { metadata: { name: "app" } });
  const uids: Record<string, string> = {};
  for (const name of ["one", "two"]) {
    const node = await make(nodes, { metadata: { name, labels: { "example.com/a": "b" } } });
    const pod = await make(pods, { metadata: { name: `on-${name}`, labels: { a: "b" } }, spec: podSpec(name) });
    uids[name] = node.metadata.uid ?? "";
    uids[`on-${name}`] = pod.metadata.uid ?? "";
  }
  return { ...cluster, uids };
}

interface Options {
  readonly dialect?: Dialect;
  readonly disabled?: ReadonlySet<string>;
}

export const nodes = { resource: "nodes", namespace: "" } as const;
export const pods = { resource: "pods" } as const;
export const containers = [{ name: "c", image: "i" }];
const podSpec = (nodeName: string) => ({
  nodeName,
  serviceAccountName: "app",
  containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }],
  resourceClaims: [{ name: "r", resourceClaimTemplateName: "t" }],
});
export const merge = { verb: "patch", contentType: "application/merge-patch+json" } as const;
export const strategic = { verb: "patch", contentType: "application/strategic-merge-patch+json" } as const;
export const apply = {
  verb: "patch",
  contentType: "application/apply-patch+yaml",
  options: { fieldManager: "f" },
} as const;
export const tried = { options: { dryRun: "All" } } as const;

export const owner = (uid: string, more: object = {}) => ({
  ...{ apiVersion: "v1", kind: "Node", name: "one", uid, controller: true },
  ...more,
});
