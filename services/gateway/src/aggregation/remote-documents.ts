import type { OtherDocuments } from "@orch/api/openapi/others.js";
import type { ResolveService } from "@orch/outbound/service-addresses.js";
import type { Clock } from "@orch/runtime/clock.js";
import { type ApiService, isAvailable, pathOf, type Remote } from "./api-service.js";
import type { ApiServiceChange, ApiServices } from "./api-services.js";
import { askAsAggregator, type OwnRequests } from "./own-requests.js";
import { type Ask, fetchResources, type Resources } from "./remote-discovery.js";
import { fetchOpenApi, noOpenApi, type RemoteOpenApi } from "./remote-openapi.js";

/** What is known of a server's resources. */
export interface KnownResources {
  /** Undefined where it has never said. */
  readonly resources: Resources | undefined;
  /** It did not say so lately. */
  readonly isStale: boolean;
}

/** The documents of servers of others, kept: nobody waits for one of those servers. */
export interface RemoteDocuments {
  resources(service: ApiService): KnownResources;
  /** The same value for as long as nothing of it changes. */
  readonly openApi: OtherDocuments;
  /** Grows with every change of what `resources` gives. */
  readonly version: number;
  start(): void;
  stop(): void;
}

export interface RemoteDocumentsDeps {
  readonly services: ApiServices;
  readonly requests: OwnRequests;
  readonly resolve: ResolveService;
  readonly clock: Clock;
  /** Told of a server whose documents cannot be read. */
  readonly failed: (name: string, error: unknown) => void;
}

const againMs = 60_000;
const askMs = 5_000;
const maxBytes = 8 * 1024 * 1024;

interface Kept {
  readonly remote: Remote;
  resources: KnownResources;
  openApi: RemoteOpenApi;
  readonly abort: AbortController;
  /** Of the look that counts: the newest. */
  turn: number;
  cancel: () => void;
}

const unknown: KnownResources = { resources: undefined, isStale: true };
const noDocuments: OtherDocuments = { two: [], three: new Map() };

export function createRemoteDocuments(deps: RemoteDocumentsDeps): RemoteDocuments {
  const { services, clock } = deps;
  const kept = new Map<string, Kept>();
  let version = 0;
  let openApi: OtherDocuments | undefined = noDocuments;
  let isStarted = false;

  const saw = (one: Kept, now: KnownResources): void => {
    const { resources: before } = one;
    one.resources = now;
    if (before.isStale !== now.isStale || JSON.stringify(before) !== JSON.stringify(now)) version++;
  };

  const look = async (one: Kept): Promise<void> => {
    one.cancel();
    const { remote, abort } = one;
    const turn = ++one.turn;
    const isOver = (): boolean => abort.signal.aborted || turn !== one.turn;
    const service = services.byName.get(remote.name);
    if (service === undefined || !isAvailable(service)) return saw(one, { ...one.resources, isStale: true });
    const ask = askOf(deps, remote, abort.signal);
    try {
      const resources = await fetchResources(ask, remote);
      if (isOver()) return;
      saw(one, { resources, isStale: false });
    } catch (error) {
      if (isOver()) return;
      saw(one, { ...one.resources, isStale: true });
      deps.failed(remote.name, error);
    }
    try {
      const before = one.openApi;
      const now = await fetchOpenApi(ask, remote, before);
      if (isOver()) return;
      one.openApi = now;
      if (before.two !== one.openApi.two || before.three !== one.openApi.three) openApi = undefined;
    } catch (error) {
      if (!isOver()) deps.failed(remote.name, error);
    }
    if (!isOver()) one.cancel = clock.after(againMs, () => void look(one));
  };

  const drop = (name: string): void => {
    const one = kept.get(name);
    if (one === undefined) return;
    one.abort.abort(new Error("the APIService is no more"));
    one.cancel();
    kept.delete(name);
    openApi = undefined;
    version++;
  };

  const follow = ({ before, after }: ApiServiceChange): void => {
    const name = (after ?? before)?.name ?? "";
    const known = kept.get(name);
    if (known !== undefined && known.remote !== after?.remote) drop(name);
    if (after?.remote === undefined) return;
    const one = kept.get(name);
    if (one === undefined) {
      const fresh: Kept = {
        ...{ remote: after.remote, resources: unknown, openApi: noOpenApi },
        ...{ abort: new AbortController(), turn: 0, cancel: () => {} },
      };
      kept.set(name, fresh);
      version++;
      void look(fresh);
    } else if (before === undefined || isAvailable(before) !== isAvailable(after)) void look(one);
  };

  return {
    resources: ({ name }) => kept.get(name)?.resources ?? unknown,
    get openApi() {
      openApi ??= together(kept.values());
      return openApi;
    },
    get version() {
      return version;
    },
    start() {
      if (isStarted) return;
      isStarted = true;
      services.onChange(follow);
      for (const after of services.byName.values()) follow({ before: undefined, after });
    },
    stop() {
      for (const name of [...kept.keys()]) drop(name);
    },
  };
}

function together(kept: Iterable<Kept>): OtherDocuments {
  const all = [...kept];
  if (all.length === 0) return noDocuments;
  return {
    two: all.flatMap(({ openApi }) => openApi.two ?? []),
    three: new Map(
      all.flatMap(({ remote, openApi }) =>
        openApi.three === undefined ? [] : [[pathOf(remote).slice(1), openApi.three] as const],
      ),
    ),
  };
}

function askOf({ requests, resolve }: RemoteDocumentsDeps, remote: Remote, signal: AbortSignal): Ask {
  return async (path, headers) => {
    const at = await resolve(remote.service);
    return await askAsAggregator(requests, remote, { at, path, headers, signal, timeoutMs: askMs, maxBytes });
  };
}
