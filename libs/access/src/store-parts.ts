import type { Catalog } from "@orch/api/catalog.js";
import { definitionKind } from "@orch/api/custom/definition.js";
import type { Parsed } from "@orch/auth/parsed.js";
import type { Log } from "@orch/runtime/log.js";
import type { StorePart } from "@orch/store/parted-store.js";
import { type Key, key } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { StoreRefused } from "@orch/store/store-refused.js";
import { StoreUnreachable } from "@orch/store/unreachable.js";
import type { EtcdStores } from "./etcd-stores.js";

/** Resources that are stored in an etcd of their own. */
export interface StorePlace {
  /** Of their keys, each with its closing slash. */
  readonly prefixes: readonly Key[];
  readonly endpoints: readonly string[];
}

/** Opens what `--etcd-servers-overrides` names besides the store of the rest. `refuse` is told what is wrong with it. */
export async function openStoreParts(
  texts: readonly string[],
  { catalog, refuse, stores, wrap, log }: PartsDeps,
): Promise<readonly StorePart[]> {
  const places = storePlaces(texts, catalog);
  if (!places.ok) return refuse(places.problems.join("; "));
  const opened = async ({ prefixes, endpoints }: StorePlace): Promise<StorePart> => {
    const store = await stores.open(endpoints);
    // All else is served without it.
    await stores.claim(store, endpoints).catch((error: unknown) => {
      if (!(error instanceof StoreRefused && error.cause instanceof StoreUnreachable)) throw error;
      log.warn({ endpoints }, "an etcd of --etcd-servers-overrides cannot be reached; what it has waits for it");
    });
    return { prefixes, store: wrap(store) };
  };
  return Promise.all(places.value.map(opened));
}

interface PartsDeps {
  readonly catalog: Catalog;
  readonly refuse: (problem: string) => never;
  readonly stores: EtcdStores;
  /** What stands before each store of this process: encryption, metrics. */
  readonly wrap: (store: Store) => Store;
  readonly log: Log;
}

/** What `--etcd-servers-overrides` says (`group/resource#server;server`), one for each etcd. */
export function storePlaces(texts: readonly string[], catalog: Catalog): Parsed<readonly StorePlace[]> {
  const places = new Map<string, Set<Key>>();
  const named = new Set<Key>();
  const problems: string[] = [];
  for (const text of texts) {
    const read = readOverride(text, catalog);
    if (typeof read === "string") problems.push(`--etcd-servers-overrides: ${read}`);
    else if (named.has(read.prefix))
      problems.push(`--etcd-servers-overrides: ${text} says where the same is stored again`);
    else {
      named.add(read.prefix);
      const id = read.endpoints.toSorted().join(";");
      places.set(id, (places.get(id) ?? new Set()).add(read.prefix));
    }
  }
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: [...places].map(([id, prefixes]) => ({ prefixes: [...prefixes], endpoints: id.split(";") })),
  };
}

/** An override, or what is wrong with it. */
function readOverride(text: string, catalog: Catalog): { prefix: Key; endpoints: readonly string[] } | string {
  const [name = "", servers = "", ...more] = text.split("#");
  const [group = "", resource = "", ...rest] = name.split("/");
  const endpoints = servers.split(";").filter((server) => server !== "");
  if (more.length > 0 || rest.length > 0 || resource === "" || endpoints.length === 0) {
    return `${JSON.stringify(text)} is not group/resource#server;server`;
  }
  const versions = catalog.groups().find((one) => one.name === group)?.versions ?? [];
  const kind = versions
    .map((version) => catalog.find(group, version, resource))
    .find((each) => each !== undefined)?.stored;
  if (kind === undefined)
    return `there is no resource ${JSON.stringify(name)} to store; custom ones stand in --etcd-servers`;
  if (kind === definitionKind(catalog)) return `${name} stand in --etcd-servers: all else is read by them`;
  return { prefix: key(`${catalog.naming.storePrefix}${kind.storage.prefix}/`), endpoints };
}
