import type { Peers } from "@orch/rpc/group-peers.js";
import type { Permitted } from "@orch/rpc/messages.js";
import { watchCacheGet, watchCacheList, watchCacheWatch } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";

/** What a read is about. */
export interface Subject {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Set where it shows what is in some namespaces alone. */
  readonly permitted?: Permitted | undefined;
}

/** The cache in this process, as far as it answers. */
export interface Near {
  readonly caller: Caller;
  /** Whether it has all that a read of these shows. */
  has(subject: Subject): boolean;
  /** Whether it has what rights are made of, and so can tell that what it shows is newer than the rights to see it. */
  readonly hasRights: boolean;
}

const reads: ReadonlySet<string> = new Set([watchCacheGet, watchCacheList, watchCacheWatch].map(({ name }) => name));

/** Watch caches of which one is in this process: what it has it answers, the rest goes to where it went before. */
export function nearPeers(far: Peers, groups: readonly string[], near: () => Near | undefined): Peers {
  /** Undefined where the far one is to be asked. */
  const answering = (method: { readonly name: string }, request: unknown): Caller | undefined => {
    const cache = near();
    if (cache === undefined || !reads.has(method.name) || !isAbout(request)) return undefined;
    if (request.permitted !== undefined && !cache.hasRights) return undefined;
    return cache.has(request) ? cache.caller : undefined;
  };
  const before = (caller: Caller): Caller => ({
    call: (method, request, options) => (answering(method, request) ?? caller).call(method, request, options),
    open: (method, request, receiver, options) =>
      (answering(method, request) ?? caller).open(method, request, receiver, options),
    get ready() {
      return caller.ready || near() !== undefined;
    },
    close: () => caller.close(),
  });
  const callers = new Map<string, Caller>();
  return {
    of(group) {
      const known = callers.get(group);
      if (known !== undefined) return known;
      const caller = far.of(group);
      const made = groups.includes(group) || groups.includes("*") ? before(caller) : caller;
      callers.set(group, made);
      return made;
    },
    all: far.all,
  };
}

function isAbout(request: unknown): request is Subject {
  return typeof request === "object" && request !== null && "group" in request && "resource" in request;
}
