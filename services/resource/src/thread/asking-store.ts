import type { AnyObject } from "@orch/api/object.js";
import type { Permissions } from "@orch/auth/rules.js";
import { bufferOf } from "@orch/rpc/thread/messages.js";
import type { Ask } from "@orch/rpc/thread/serve-jobs.js";
import type { Entry, Store } from "@orch/store/store.js";
import type { Buckets } from "../admission/event-rate-limit/buckets.js";
import { type Allocations, isGivenNumbers, isService, type Taken, type Taking } from "../allocation/allocations.js";
import type { Namespaces } from "../namespaces.js";
import type { Answer, Question } from "./messages.js";

/** What a write in the thread has in place of the store and the mirrors: it asks the main thread, which has them. */
export interface Asking {
  readonly store: Store;
  readonly namespaces: Namespaces;
  readonly permissions: Permissions;
  readonly allocations: Pick<Allocations, "take" | "removed">;
  readonly buckets: Buckets;
}

/** `write` is the id of the write that asks. */
export function asking(ask: Ask<Question, Answer>, write: number): Asking {
  return {
    store: {
      async get(key) {
        const answer = await ask({ type: "get", key });
        return answer.type === "entry" && answer.entry !== undefined ? received(answer.entry) : undefined;
      },
      async range(query) {
        const answer = await ask({ type: "range", query });
        if (answer.type !== "range") throw unexpected(answer);
        return { ...answer.range, entries: answer.range.entries.map(received) };
      },
      async revision(near) {
        const answer = await ask({ type: "revision", near });
        if (answer.type !== "revision") throw unexpected(answer);
        return answer.revision;
      },
      async swap(change) {
        const answer = await ask({ type: "swap", write, change });
        if (answer.type !== "swap") throw unexpected(answer);
        const { swap } = answer;
        return swap.done || swap.current === undefined ? swap : { ...swap, current: received(swap.current) };
      },
      watch: () => {
        throw new TypeError("a write does not watch");
      },
      notes: {
        range: () => Promise.reject(new TypeError("a write in the thread reads no notes")),
        count: () => Promise.reject(new TypeError("a write in the thread counts no notes")),
        rewrite: () => Promise.reject(new TypeError("a write writes no notes of others")),
        remove: () => Promise.reject(new TypeError("a write removes no notes")),
      },
      compact: () => Promise.reject(new TypeError("a write does not compact")),
      close: () => Promise.resolve(),
    },
    allocations: {
      take: (taking) => (isGivenNumbers(taking) ? take(ask, write, taking) : undefined),
      async removed(kind, object) {
        if (isService(kind)) await ask({ type: "removed", service: numberedPart(object) });
      },
    },
    buckets: {
      async take(questions) {
        const answer = await ask({ type: "tokens", questions });
        if (answer.type !== "tokens") throw unexpected(answer);
        return answer.taken;
      },
    },
    namespaces: {
      run: () => Promise.resolve(),
      loaded: true,
      async admitCreate(namespace, object) {
        await ask({ type: "admitCreate", namespace, object });
      },
    },
    permissions: {
      authorizer: {
        async authorize(attributes) {
          const answer = await ask({ type: "authorize", write, attributes });
          if (answer.type !== "decision") throw unexpected(answer);
          return answer.decision;
        },
      },
      rules: {
        async rulesFor(user, namespace) {
          const answer = await ask({ type: "rulesFor", user, namespace });
          if (answer.type !== "rules") throw unexpected(answer);
          return answer.rules;
        },
      },
    },
  };
}

async function take(ask: Ask<Question, Answer>, write: number, { object, old, dryRun }: Taking): Promise<Taken> {
  const before = old === undefined ? undefined : numberedPart(old);
  const answer = await ask({ type: "take", write, service: numberedPart(object), old: before, dryRun });
  if (answer.type !== "taken") throw unexpected(answer);
  return {
    object: { ...object, spec: answer.service["spec"] },
    async settle(outcome) {
      await ask({ type: "settle", write, outcome });
    },
  };
}

/** Whose the numbers are, and where they stand. */
function numberedPart({ metadata, ...service }: AnyObject): AnyObject {
  const { name = "", namespace = "", uid = "" } = metadata;
  return { metadata: { name, namespace, uid }, spec: service["spec"] };
}

/** Bytes are plain arrays after a message. */
function received(entry: Entry): Entry {
  return { ...entry, value: bufferOf(entry.value) };
}

function unexpected({ type }: Answer): TypeError {
  return new TypeError(`the answer ${type} is to another question`);
}
