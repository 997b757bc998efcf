import type { Follower } from "@orch/auth/object-source.js";
import { type ApiService, readApiService } from "./api-service.js";

/** The APIServices of the cluster, as they are now. */
export interface ApiServices {
  readonly byName: ReadonlyMap<string, ApiService>;
  /** Those with a server elsewhere, by `group/version`; nearly always none. */
  readonly remotes: ReadonlyMap<string, ApiService>;
  /** Grows with every change of what one of them is, not of its status alone. */
  readonly version: number;
  /** The first list is in. */
  readonly loaded: Promise<void>;
  /** Called after each change, with what it was and is. */
  onChange(run: (change: ApiServiceChange) => void): void;
}

export interface ApiServiceChange {
  readonly before: ApiService | undefined;
  readonly after: ApiService | undefined;
}

/** Keeps what it is told of; tell it of every APIService. */
export function createApiServices(): ApiServices & { readonly follower: Follower } {
  const byName = new Map<string, ApiService>();
  const remotes = new Map<string, ApiService>();
  const listeners = new Set<(change: ApiServiceChange) => void>();
  let version = 0;
  let settle = (): void => {};
  const loaded = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const set = (name: string, after: ApiService | undefined): void => {
    const before = byName.get(name);
    if (before === undefined && after === undefined) return;
    if (after === undefined) byName.delete(name);
    else byName.set(name, after);
    if (before?.remote !== undefined) remotes.delete(keyOf(before));
    if (after?.remote !== undefined) remotes.set(keyOf(after), after);
    if (!isSame(before, after)) version++;
    for (const run of listeners) run({ before, after });
  };

  return {
    byName,
    remotes,
    loaded,
    get version() {
      return version;
    },
    onChange: (run) => void listeners.add(run),
    follower: {
      replaced(objects) {
        const names = new Set(objects.map(({ metadata }) => metadata.name ?? ""));
        for (const name of [...byName.keys()]) if (!names.has(name)) set(name, undefined);
        for (const object of objects) {
          const name = object.metadata.name ?? "";
          set(name, readApiService(object, byName.get(name)));
        }
        settle();
      },
      changed(object) {
        const name = object.metadata.name ?? "";
        set(name, readApiService(object, byName.get(name)));
      },
      deleted: ({ metadata: { name = "" } }) => set(name, undefined),
    },
  };
}

export function keyOf({ group, version }: Pick<ApiService, "group" | "version">): string {
  return `${group}/${version}`;
}

function isSame(before: ApiService | undefined, after: ApiService | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const { priority: was, remote } = before;
  return remote === after.remote && was.group === after.priority.group && was.version === after.priority.version;
}
