import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import { type Found, type Negotiated, negotiated, type Subject } from "../call.js";
import { isConnection } from "../long-running.js";
import { plainJson, representationOf } from "../representation.js";
import type { Stage } from "./stages.js";

export interface NegotiateDeps {
  /** Of built-in kinds. */
  readonly negotiator: Negotiator<ObjectFormat>;
  /** Of custom resources. */
  readonly customNegotiator: Negotiator<ObjectFormat>;
  /** Of what has no table. */
  readonly tablelessNegotiator: Negotiator<ObjectFormat>;
}

/**
 * Negotiates the representation of resources: what can be had depends on the kind. Discovery has one form more, and other
 * paths have media types of their own. @throws ApiError NotAcceptable
 */
export function negotiate({
  negotiator,
  customNegotiator,
  tablelessNegotiator,
}: NegotiateDeps): Stage<Found, Negotiated> {
  return (call) => {
    const { subject, request, verb } = call;
    if (subject.type !== "resource") return negotiated(call, subject);
    // What a node answers is its own; errors are negotiated by themselves.
    if (isConnection(subject.route.target.subresource)) {
      return negotiated(call, { type: "resource", subject, representation: plainJson });
    }
    const ofKind = subject.kind.definition === undefined ? negotiator : customNegotiator;
    const offers = hasTable(subject) ? ofKind : tablelessNegotiator;
    return negotiated(call, { type: "resource", subject, representation: representationOf(offers, request, verb) });
  };
}

const withoutTable = new Set(["approval", "binding", "ephemeralcontainers", "eviction", "finalize", "resize", "token"]);

/** What can be listed has a table, and so have its status and scale. */
function hasTable({ kind, route }: Subject): boolean {
  const { subresource } = route.target;
  return subresource === "" ? kind.verbs.includes("list") : !withoutTable.has(subresource);
}
