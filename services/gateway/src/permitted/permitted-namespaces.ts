import type { Authorizer, ResourceAttributes } from "@orch/auth/authorizer.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import type { ScopedRights } from "@orch/auth/scoped-rights.js";
import type { Permitted } from "@orch/rpc/messages.js";
import { LRUCache } from "lru-cache";
import type { NamespaceNames } from "./namespace-names.js";

/** In which namespaces somebody may do what it may not do in all of them. */
export interface PermittedNamespaces {
  /**
   * Of a request about all namespaces, as it is asked of authorizers. @throws ApiError Forbidden where so many namespaces would
   * have to be asked about that nobody does
   */
  of(attributes: ResourceAttributes): Answer | Promise<Answer>;
  /** The same, asked now. */
  now(attributes: ResourceAttributes): Answer | Promise<Answer>;
  readonly rights: ScopedRights;
  readonly authorizer: Authorizer;
  /** Milliseconds that only grow. */
  readonly time: () => number;
}

export interface Answer extends Permitted {
  readonly namespaces: readonly string[];
  /** That of the rights by which it was found, or an earlier one. */
  readonly version: number;
}

export interface PermittedDeps {
  readonly authorizer: Authorizer;
  readonly rights: ScopedRights;
  readonly namespaces: NamespaceNames;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Namespaces that authorizers are asked about for one request. */
export const mostQuestions = 10_000;
/** Asked at the same time, where an answer takes its time. */
const atOnce = 50;
/** Asked in one turn of the event loop, where answers are there at once. */
const inTurn = 1000;
/** For so long an answer is used again, in milliseconds. */
const maxAgeMs = 5000;
/** Names of namespaces in answers that are kept. */
const mostNames = 500_000;

interface Kept {
  readonly answer: Answer;
  readonly at: number;
}

export function createPermittedNamespaces(deps: PermittedDeps): PermittedNamespaces {
  const { rights, namespaces } = deps;
  const kept = new LRUCache<string, Kept>({
    maxSize: mostNames,
    sizeCalculation: ({ answer }) => answer.namespaces.length + 1,
  });

  const ask = (attributes: ResourceAttributes): Answer | Promise<Answer> => {
    const key = keyOf(attributes);
    const { version } = rights;
    const bound = rights.namespacesOf(attributes.user);
    // Where others decide, nobody knows what their rights are read from.
    const revisions = bound === undefined ? {} : { rights: rights.revisions() };
    const answered = (found: readonly string[]): Answer => {
      const answer = { namespaces: found, version, ...revisions };
      kept.set(key, { answer, at: deps.now() });
      return answer;
    };
    const among = (names: ReadonlySet<string>): readonly string[] | Promise<readonly string[]> => {
      if (names.size > mostQuestions) {
        const why = `which of ${names.size} namespaces are permitted is not worked out: ${mostQuestions} at most are asked about`;
        throw forbiddenError(attributes, why);
      }
      return allowedAmong(deps.authorizer, attributes, [...names]);
    };
    const found = bound === undefined ? namespaces.all().then(among) : among(bound);
    return found instanceof Promise ? found.then(answered) : answered(found);
  };

  return {
    rights,
    authorizer: deps.authorizer,
    time: deps.now,
    now: ask,
    of(attributes) {
      const known = kept.get(keyOf(attributes));
      if (known === undefined || known.answer.version !== rights.version) return ask(attributes);
      if (deps.now() - known.at >= maxAgeMs) return ask(attributes);
      // Changes of others have left these rights as they were.
      return known.answer.rights === undefined ? known.answer : { ...known.answer, rights: rights.revisions() };
    },
  };
}

/** All that an answer depends on; equal for equal questions. */
function keyOf({ user, kind: _kind, ...question }: ResourceAttributes): string {
  return JSON.stringify([user.name, user.uid, user.groups, user.extra, Object.entries(question)]);
}

/** Those in which the request is allowed. Answers at once where the authorizer does and there are few. */
function allowedAmong(
  authorizer: Authorizer,
  attributes: ResourceAttributes,
  names: readonly string[],
): readonly string[] | Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const [i, namespace] of names.entries()) {
    const decision = i >= inTurn ? undefined : authorizer.authorize({ ...attributes, namespace });
    if (decision === undefined || decision instanceof Promise) {
      return Promise.all([decision, allowedLater(authorizer, attributes, names.slice(i + (decision ? 1 : 0)))]).then(
        ([first, later]) => [...allowed, ...(first?.outcome === "allow" ? [namespace] : []), ...later].sort(),
      );
    }
    if (decision.outcome === "allow") allowed.push(namespace);
  }
  return allowed.sort();
}

async function allowedLater(
  authorizer: Authorizer,
  attributes: ResourceAttributes,
  names: readonly string[],
): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (let at = 0; at < names.length; at += atOnce) {
    const some = names.slice(at, at + atOnce);
    const decisions = await Promise.all(some.map((namespace) => authorizer.authorize({ ...attributes, namespace })));
    allowed.push(...some.filter((_, i) => decisions[i]?.outcome === "allow"));
    if (at % inTurn === 0) await new Promise(setImmediate);
  }
  return allowed;
}
