import type { Kind } from "@orch/api/catalog.js";
import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Mirror } from "../../mirror.js";
import type { AdmissionPlugin } from "../admission.js";
import { refused } from "../refused.js";
import { claimProblems, podProblems } from "./constraints.js";
import { withDefaults } from "./defaults.js";
import type { LimitRange } from "./types.js";

/** Pods and claims are held to the limits of their namespace; containers that do not say get its defaults. */
export function limitRanger(naming: Naming, mirror: Mirror): AdmissionPlugin {
  const annotation = naming.key("limit-ranger");
  const rangesOf = (namespace: string): readonly LimitRange[] => mirror.inNamespace(namespace);
  const defaulted = (object: AnyObject, namespace: string): AnyObject => {
    let pod = object;
    for (const range of rangesOf(namespace)) pod = withDefaults(pod, range, annotation);
    return pod;
  };
  return {
    name: "LimitRanger",
    handles: (kind, subresource) =>
      (isPod(kind) && (subresource === "" || subresource === "resize")) || (isClaim(kind) && subresource === ""),
    mutateCreate: ({ kind, request }, object) => (isPod(kind) ? defaulted(object, request.namespace) : object),
    mutateUpdate: ({ kind, request }, object, old) =>
      isPod(kind) && request.subresource === "resize" && !goes(old) ? defaulted(object, request.namespace) : object,
    validate({ write, object, old }) {
      const { kind, request } = write;
      // What an update of a pod may change is no matter of resources, but for a resize.
      if (old !== undefined && (goes(old) || (isPod(kind) && request.subresource === ""))) return;
      const ranges = rangesOf(request.namespace);
      if (ranges.length === 0) return;
      const problems = isPod(kind) ? podProblems(object, ranges) : claimProblems(requestsOf(object), ranges);
      if (problems.length > 0) throw refused(write, object, sentenceOf(problems));
    },
  };
}

const isPod = ({ group, plural }: Kind): boolean => group === "" && plural === "pods";
const isClaim = ({ group, plural }: Kind): boolean => group === "" && plural === "persistentvolumeclaims";

function goes({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function requestsOf(claim: AnyObject): Readonly<Record<string, string>> {
  const { spec }: AnyObject & { readonly spec?: { readonly resources?: { readonly requests?: Requests } } } = claim;
  return spec?.resources?.requests ?? {};
}

type Requests = Readonly<Record<string, string>>;

/** A pod of very many containers breaks very many limits. */
const mostProblems = 100;

function sentenceOf(problems: readonly string[]): string {
  const [first = "", ...others] = problems;
  if (others.length === 0) return first;
  const left = problems.length - mostProblems;
  return `[${problems.slice(0, mostProblems).join(", ")}${left > 0 ? `, and ${left} more` : ""}]`;
}
