import type { ApiResource } from "@orch/client/discovery.js";
import { metadataOnly } from "@orch/client/metadata-only.js";
import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import { fieldsOf, itemsOf } from "../explain/explanation-text.js";
import type { Session } from "../explain/session.js";

/** An object that another one waits for. */
export interface Other {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly finalizers: readonly string[];
  readonly isGoing: boolean;
}

export interface Found {
  readonly others: readonly Other[];
  /** What could not be looked at, a sentence each. */
  readonly unread: readonly string[];
}

/** Objects of one resource that are looked at. */
const mostOfResource = 2000;
const pageSize = 500;
const atOnce = 6;

/** Objects of every kind that can be listed, in a namespace or, where that is empty, everywhere, that `isOne` of. */
export async function findOthers(
  session: Session,
  namespace: string,
  isOne: (object: ApiObject, resource: ApiResource) => boolean,
): Promise<Found> {
  const resources = session.resources.filter(
    ({ verbs, namespaced, resource }) =>
      verbs.includes("list") && (namespace === "" || namespaced) && !resource.includes("/") && resource !== "events",
  );
  const others: Other[] = [];
  const unread: string[] = [];
  const queue = [...resources];
  const worker = async (): Promise<void> => {
    for (let resource = queue.shift(); resource !== undefined; resource = queue.shift()) {
      const listed = await listSome(session, resource, namespace);
      if (listed.problem !== undefined) unread.push(listed.problem);
      for (const object of listed.items) if (isOne(object, resource)) others.push(otherOf(object, resource));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { others, unread };
}

interface Listed {
  readonly items: readonly ApiObject[];
  readonly problem: string | undefined;
}

/** The metadata of the first objects of a resource. */
export async function listSome(session: Session, of: ApiResource, namespace: string): Promise<Listed> {
  const { group, version, resource, namespaced } = of;
  const collection = { group, version, resource, ...(namespaced && namespace !== "" ? { namespace } : {}) };
  const accept = metadataOnly(session.naming).list;
  const items: ApiObject[] = [];
  const name = `${resource}${group === "" ? "" : `.${group}`}`;
  try {
    for (let token = ""; ; ) {
      const page = await session.client.list(collection, {
        limit: pageSize,
        accept,
        ...(token === "" ? {} : { continue: token }),
      });
      items.push(...page.items);
      token = page.continue;
      if (token === "") return { items, problem: undefined };
      if (items.length >= mostOfResource)
        return { items, problem: `only the first ${items.length} ${name} were looked at` };
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { items, problem: `${name} cannot be listed: ${error.message}` };
  }
}

function otherOf(object: ApiObject, { kind }: ApiResource): Other {
  const { name = "", namespace = "", deletionTimestamp } = object.metadata;
  return { kind, name, namespace, finalizers: finalizersOf(object), isGoing: deletionTimestamp !== undefined };
}

export function finalizersOf({ metadata }: ApiObject): readonly string[] {
  return itemsOf(metadata["finalizers"]).filter((one) => typeof one === "string");
}

export interface Owner {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly blocks: boolean;
}

export function ownersOf({ metadata }: ApiObject): readonly Owner[] {
  return itemsOf(metadata["ownerReferences"]).map((reference) => {
    const { uid, kind, name, blockOwnerDeletion } = fieldsOf(reference);
    return { uid: String(uid), kind: String(kind), name: String(name), blocks: blockOwnerDeletion === true };
  });
}
