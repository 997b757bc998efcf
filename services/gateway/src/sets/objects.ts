import { isStored, type Kind } from "@orch/api/catalog.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { badRequest } from "@orch/status/api-error.js";
import type { Problem } from "./problems.js";
import { isSet, type Member, markLabel, nameOf } from "./set-object.js";

/** An object of a set, as it will be sent. */
export interface SetObject {
  /** `spec.objects[3]`. */
  readonly at: string;
  readonly kind: Kind;
  /** Its kind is defined by the set itself, and not known otherwise. */
  readonly brought: boolean;
  readonly place: Member;
  readonly object: JsonObject;
}

export interface ReadObjectsDeps {
  /** The kind that is served by this name. */
  readonly kind: (apiVersion: string, kind: string) => Kind | undefined;
  /** That a definition in the set makes. */
  readonly brought: (apiVersion: string, kind: string) => Kind | undefined;
  /** The namespace of the set; "" for one of the whole cluster. */
  readonly namespace: string;
  /** The value of the label that every member bears. */
  readonly mark: string;
}

/** What a set is written with, each object looked at by itself, and what is wrong with others. */
export function readObjects(
  given: readonly unknown[],
  deps: ReadObjectsDeps,
): { readonly objects: readonly SetObject[]; readonly problems: readonly Problem[] } {
  const objects: SetObject[] = [];
  const problems: Problem[] = [];
  const seen = new Map<string, string>();
  given.forEach((value, index) => {
    const at = `spec.objects[${index}]`;
    const read = readOne(value, at, deps);
    if (typeof read === "string") {
      problems.push({ at, what: "", error: badRequest(read) });
      return;
    }
    const key = keyOf(read.kind, read.place);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, at);
      objects.push(read);
    } else problems.push({ at, what: nameOf(read.place), error: badRequest(`is the same object as ${first}`) });
  });
  return { objects, problems };
}

/** What tells stored objects apart, whatever version or group they come in. */
export function keyOf(kind: Kind, { namespace = "", name }: Pick<Member, "namespace" | "name">): string {
  return `${kind.storage.prefix}/${namespace}/${name}`;
}

/** What is wrong is told as a sentence. */
function readOne(value: unknown, at: string, deps: ReadObjectsDeps): SetObject | string {
  if (!isObject(value)) return "an object is needed";
  const { apiVersion, kind: name, metadata } = value;
  if (typeof apiVersion !== "string" || typeof name !== "string") return "apiVersion and kind are needed";
  const known = deps.kind(apiVersion, name);
  const kind = known ?? deps.brought(apiVersion, name);
  if (kind === undefined) return `no kind ${JSON.stringify(`${apiVersion} ${name}`.slice(0, 300))} is served`;
  if (isSet(kind)) return "a set has no sets in it";
  if (!isStored(kind) || !kind.verbs.includes("patch")) return `objects of kind ${name} cannot be applied`;
  if (!isObject(metadata) || typeof metadata["name"] !== "string" || metadata["name"] === "")
    return "metadata.name is needed";
  const namespace = namespaceOf(kind, metadata["namespace"], deps.namespace);
  if ("problem" in namespace) return namespace.problem;
  const labels = metadata["labels"] ?? {};
  if (!isObject(labels)) return "metadata.labels must be an object";
  const forbidden = ["uid", "resourceVersion", "managedFields"].find((field) => metadata[field] !== undefined);
  if (forbidden !== undefined) return `metadata.${forbidden} is not what a set says`;
  const place: Member = {
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...{ version: kind.version, resource: kind.plural, kind: kind.kind },
    ...(namespace.name === "" ? {} : { namespace: namespace.name }),
    name: metadata["name"],
  };
  const marked = {
    ...metadata,
    ...(namespace.name === "" ? {} : { namespace: namespace.name }),
    labels: { ...labels, [markLabel]: deps.mark },
  };
  return { at, kind, brought: known === undefined, place, object: { ...value, metadata: marked } };
}

type Namespace = { readonly name: string } | { readonly problem: string };

function namespaceOf(kind: Kind, given: unknown, ofSet: string): Namespace {
  if (!kind.namespaced) {
    if (ofSet !== "") return { problem: `${kind.kind} has no namespace: it belongs into a ClusterSet` };
    return { name: "" };
  }
  if (given === undefined || given === "") {
    return ofSet === "" ? { problem: "metadata.namespace is needed" } : { name: ofSet };
  }
  if (typeof given !== "string") return { problem: "metadata.namespace must be a string" };
  if (ofSet !== "" && given !== ofSet) return { problem: "another namespace than that of the set" };
  return { name: given };
}
