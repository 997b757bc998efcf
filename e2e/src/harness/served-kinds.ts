import assert from "node:assert/strict";
import { type Kind, loadCatalog } from "@orch/api/catalog.js";
import { pathOf } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { connect, type Http } from "./http.js";
import { type Manifest, readManifests } from "./manifest-files.js";
import { type StandaloneTarget, startStandalone } from "./target.js";

const everything = "api/all=true";

export const naming = createNaming("kubernetes");
/** Every kind in every version of this release. */
export const catalog = loadCatalog(naming, { runtimeConfig: [everything] });
/** One object of every kind. */
export const { namespace, kinds } = readManifests();

export interface Served {
  readonly target: StandaloneTarget;
  readonly http: Http;
}

/** Of these nobody fills in the status on that server. */
export const unattended: ReadonlySet<string> = new Set(["ResourceQuota"]);

/** A server of every version, with the namespace of the manifests. */
export async function serveEverything(): Promise<Served> {
  const args = [
    ...["--secure-port=0", `--runtime-config=${everything}`, "--feature-gates=CBORServingAndStorage=true"],
    // A new node gets a taint, which an apply of its list of taints takes back.
    "--disable-admission-plugins=TaintNodesByCondition",
  ];
  const target = await startStandalone({ dialect: "kubernetes", args, quiet: ["resourcequota-controller"] });
  const http = connect(target);
  const made = await http.post("/api/v1/namespaces", { metadata: { name: namespace } });
  assert.equal(made.status, 201, made.text);
  return { target, http };
}

export function kindOf({ object: { apiVersion, kind } }: Manifest): Kind {
  const found = catalog.kind(apiVersion, kind);
  assert.ok(found !== undefined, `${apiVersion} ${kind} is not in the catalog`);
  return found;
}

/** Every version in which the objects of a hub are served. */
export function versionsOf(hub: Kind): readonly Kind[] {
  return catalog
    .groups()
    .flatMap((group) => group.versions.flatMap((version) => catalog.kindsOf(group.name, version)))
    .filter((kind) => kind.hub === hub);
}

/** The collection of a kind in the manifests' namespace, an object of it, or a part of that. */
export function pathOfKind({ group, version, plural: resource, namespaced }: Kind, name?: string, part?: string) {
  return pathOf({ group, version, resource, ...(namespaced ? { namespace } : {}) }, name, part);
}

/** Deletes an object; a namespace is emptied by nobody else. */
export async function removeObject(http: Http, kind: Kind, name: string): Promise<void> {
  const deleted = await http.delete(pathOfKind(kind, name));
  assert.equal(deleted.status, 200, deleted.text);
  if (kind.kind !== "Namespace") return;
  const object = { ...deleted.object(), spec: { finalizers: [] } };
  const finalized = await http.put(pathOfKind(kind, name, "finalize"), object);
  assert.equal(finalized.status, 200, finalized.text);
}
