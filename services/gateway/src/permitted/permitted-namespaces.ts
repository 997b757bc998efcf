import { hash } from "node:crypto";
import type { Authorizer, ResourceAttributes } from "@orch/auth/authorizer.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import { createInFlight } from "@orch/auth/in-flight.js";
import type { ScopedRights } from "@orch/auth/scoped-rights.js";
import type { Permitted } from "@orch/rpc/messages.js";
import { LRUCache } from "lru-cache";
import { createAskEach } from "./ask-each.js";
import type { NamespaceNames } from "./namespace-names.js";

/** In which namespaces somebody may do what it may not do in all of them. */
export interface PermittedNamespaces {
  /**
   * Of a request about all namespaces, as it is asked of authorizers. @throws ApiError Forbidden where so many namespaces would
   * have to be asked about that nobody does; ServiceUnavailable where an authorizer gave no answer, or the answers took too long
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
/** For so long an answer is used again, in milliseconds. */
const maxAgeMs = 5000;
/** Names of namespaces in answers that are kept, and what an answer takes of them besides its own. */
const [mostNames, namesOfAnswer] = [500_000, 16];
/** Longer ones are kept by what they hash to. */
const longestKey = 512;

interface Kept {
  readonly answer: Answer;
  readonly at: number;
}

export function createPermittedNamespaces(deps: PermittedDeps): PermittedNamespaces {
  const { rights, namespaces } = deps;
  const askEach = createAskEach(deps);
  const underWay = createInFlight<Answer>();
  const kept = new LRUCache<string, Kept>({
    maxSize: mostNames,
    sizeCalculation: ({ answer }) => answer.namespaces.length + namesOfAnswer,
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
      return askEach(attributes, [...names]);
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
      const key = keyOf(attributes);
      const known = kept.get(key);
      if (known === undefined || known.answer.version !== rights.version || deps.now() - known.at >= maxAgeMs) {
        // What began before a change is not for those who ask after it.
        return underWay(`${rights.version}|${key}`, () => ask(attributes));
      }
      // Changes of others have left these rights as they were.
      return known.answer.rights === undefined ? known.answer : { ...known.answer, rights: rights.revisions() };
    },
  };
}

/** All that an answer depends on; equal for equal questions. Selectors may be as long as a client likes. */
function keyOf({ user, kind: _kind, ...question }: ResourceAttributes): string {
  const all = JSON.stringify([user.name, user.uid, user.groups, user.extra, Object.entries(question)]);
  return all.length > longestKey ? hash("sha256", all, "base64url") : all;
}
