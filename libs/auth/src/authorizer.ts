import type { Span } from "@orch/status/span.js";
import type { Target } from "@orch/status/target.js";
import type { UserInfo } from "./user.js";

interface Common {
  readonly user: UserInfo;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; of a path the HTTP method in lower case. */
  readonly verb: string;
}

/** What is asked for (rules: Authentication, 2): a resource, or a path that is none. */
export type Attributes = ResourceAttributes | PathAttributes;

/** Of a subresource that is a path, `proxy/a/b`, the target has the first part alone: it is what rules name. */
export interface ResourceAttributes extends Common, Target {
  readonly kind: "resource";
  /** Of lists, watches and deletecollection, as the query has them; absent where it has none. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface PathAttributes extends Common {
  readonly kind: "path";
  readonly path: string;
}

export interface Decision {
  readonly outcome: "allow" | "deny" | "noOpinion";
  /** Shown to the client after the sentence of a 403, where it is not empty. */
  readonly reason: string;
  /** It is not known what somebody who was asked would have said. */
  readonly failed?: true;
}

/** Answers at once where it can, like `Authenticator`. */
export interface Authorizer {
  /** `span` is what the question is part of, where that is traced. */
  authorize(attributes: Attributes, span?: Span): Decision | Promise<Decision>;
}

export const allowed: Decision = { outcome: "allow", reason: "" };
export const noOpinion: Decision = { outcome: "noOpinion", reason: "" };

/** The first that allows or denies decides; where none has an opinion, their reasons are joined. */
export function firstOpinion(authorizers: readonly Authorizer[]): Authorizer {
  const from = (attributes: Attributes, span: Span | undefined, after?: After): Decision | Promise<Decision> => {
    let decision = after?.decision ?? noOpinion;
    for (let i = after?.next ?? 0; i < authorizers.length; i++) {
      const next = authorizers[i]?.authorize(attributes, span) ?? noOpinion;
      if (next instanceof Promise) {
        const soFar = decision;
        return next.then((d) =>
          d.outcome === "noOpinion" ? from(attributes, span, { next: i + 1, decision: joined(soFar, d) }) : d,
        );
      }
      if (next.outcome !== "noOpinion") return next;
      decision = joined(decision, next);
    }
    return decision;
  };
  return { authorize: (attributes, span) => from(attributes, span) };
}

/** Where it goes on after one that took its time. */
interface After {
  readonly next: number;
  readonly decision: Decision;
}

function joined(a: Decision, b: Decision): Decision {
  if (b.reason === "" && b.failed === undefined) return a;
  const reason = a.reason === "" || b.reason === "" ? a.reason + b.reason : `${a.reason}, ${b.reason}`;
  return { outcome: "noOpinion", reason, ...((a.failed ?? b.failed) === true ? { failed: true } : {}) };
}
