import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import { type Authorized, type Negotiated, negotiated } from "../call.js";
import { representationOf } from "../representation.js";
import type { Stage } from "./stages.js";

/** Negotiates the representation of resources. Discovery has one form more, and other paths have media types of their own. */
export function negotiate(negotiator: Negotiator<ObjectFormat>): Stage<Authorized, Negotiated> {
  return (call) => {
    const { route, request, verb } = call;
    if (route.type !== "resource") return negotiated(call, route);
    const representation = representationOf(negotiator, request, verb);
    return negotiated(call, { type: "resource", route, representation });
  };
}
