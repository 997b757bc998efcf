import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { JudgedState, Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import type { Buckets } from "./buckets.js";
import type { EventLimit, LimitType } from "./configuration.js";

/** Whoever tells of very much is told to wait: events are the one kind that nobody misses. */
export function eventRateLimit(naming: Naming, limits: readonly EventLimit[], buckets: Buckets): AdmissionPlugin {
  const groups = ["", naming.group("events")];
  const ask = async ({ write, object }: JudgedState): Promise<void> => {
    const questions = limits.map(({ type }, limit) => ({ limit, type, key: keyOf(type, write, object) }));
    const taken = await buckets.take(questions);
    const refused = questions.filter((_, i) => taken[i] === false);
    const texts = refused.map(({ type, key }) => `limit reached on type ${type} for key ${key}`);
    const [first, ...others] = texts;
    if (first === undefined) return;
    const message = others.length === 0 ? first : `[${texts.join(", ")}]`;
    throw new ApiError("TooManyRequests", message, { details: {} });
  };
  return {
    name: "EventRateLimit",
    handles: ({ group, plural }, subresource) =>
      plural === "events" && groups.includes(group) && subresource === "" && limits.length > 0,
    // Those of the newer group are not limited in the reference either.
    validate: (state) => (state.dryRun || state.write.requested.group !== "" ? undefined : ask(state)),
  };
}

const sourceAndObject = [
  ...["source.component", "source.host", "involvedObject.kind", "involvedObject.namespace", "involvedObject.name"],
  ...["involvedObject.uid", "involvedObject.apiVersion"],
];

function keyOf(type: LimitType, { request }: Write, event: AnyObject): string {
  switch (type) {
    case "Server":
      return "";
    case "Namespace":
      return request.namespace;
    case "User":
      return request.user.name;
    case "SourceAndObject":
      return sourceAndObject
        .map((path) => valueAt(event, path))
        .filter((part) => typeof part === "string")
        .join("");
  }
}
