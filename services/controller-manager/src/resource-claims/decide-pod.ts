import { podKind } from "../ephemeral-volumes/decide-claims.js";
import { controllerOf, isGoing, referenceTo } from "../rim/objects.js";
import type { Pod, PodClaim } from "../rim/pods.js";
import { type ClaimTemplate, claimNameOf, podClaimsOf, type ResourceClaim } from "./types.js";

/** What the claims of a pod are decided by. */
export interface PodState {
  /** Annotation of a claim that was made for a pod: the entry of the pod. */
  readonly entryAnnotation: string;
  readonly claimNamed: (name: string) => ResourceClaim | undefined;
  /** Claims that the pod owns. */
  readonly owned: readonly ResourceClaim[];
  /** Of an entry for which one was made that may not be shown yet. */
  readonly madeFor: (entry: string) => string | undefined;
  readonly templateNamed: (name: string) => ClaimTemplate | undefined;
  /** As the server calls a template that is not there. */
  readonly templateResource: string;
}

export type PodAction =
  | { readonly do: "create"; readonly entry: string; readonly claim: ResourceClaim }
  /** The claim of an entry is there, and the pod's status does not say so. */
  | { readonly do: "name"; readonly entry: string; readonly claim: string }
  | { readonly do: "refuse"; readonly entry: string; readonly problem: string }
  /** The pod is on a node, and another pod's claim lets it in. */
  | { readonly do: "reserve"; readonly claim: ResourceClaim };

/** Consumers of one claim at most. */
const mostConsumers = 256;
/** Of a name's 63 characters some are for what makes it unlike others. */
const longestBase = 57;

/** What is to be done for a pod that names claims. */
export function decidePod(pod: Pod, state: PodState): readonly PodAction[] {
  if (isGoing(pod)) return [];
  return podClaimsOf(pod).flatMap((entry) => {
    const action = decideEntry(pod, entry, state);
    return action === undefined ? [] : [action];
  });
}

function decideEntry(pod: Pod, entry: PodClaim, state: PodState): PodAction | undefined {
  const name = claimNameOf(pod, entry);
  if (name === null) return undefined;
  const claim = name === undefined ? undefined : state.claimNamed(name);
  const isGenerated = entry.resourceClaimTemplateName !== undefined;
  const isOurs = claim !== undefined && (!isGenerated || controllerOf(claim)?.uid === pod.metadata.uid);
  if (claim !== undefined && isOurs) return decideReservation(pod, claim);
  return isGenerated ? decideGenerated(pod, entry, state) : undefined;
}

function decideReservation(pod: Pod, claim: ResourceClaim): PodAction | undefined {
  // The scheduler reserves what it allocates; a pod that was bound past it has nothing yet.
  if ((pod.spec?.nodeName ?? "") === "" || claim.status?.allocation === undefined) return undefined;
  const consumers = claim.status.reservedFor ?? [];
  if (consumers.length >= mostConsumers || consumers.some(({ uid }) => uid === pod.metadata.uid)) return undefined;
  return { do: "reserve", claim };
}

/** Its claim is not there, or is somebody else's. */
function decideGenerated(pod: Pod, entry: PodClaim, state: PodState): PodAction | undefined {
  const { name = "", resourceClaimTemplateName: templateName = "" } = entry;
  const made = state.owned.find(({ metadata }) => metadata.annotations?.[state.entryAnnotation] === name);
  const known = made?.metadata.name ?? state.madeFor(name);
  if (known !== undefined)
    return claimNameOf(pod, entry) === known ? undefined : { do: "name", entry: name, claim: known };
  const template = state.templateNamed(templateName);
  if (template === undefined) {
    const quoted = JSON.stringify(templateName);
    const problem = `resource claim template ${quoted}: ${state.templateResource} ${quoted} not found`;
    return { do: "refuse", entry: name, problem };
  }
  return { do: "create", entry: name, claim: claimFrom(template, { pod, entry: name, state }) };
}

function claimFrom(
  { spec: { metadata = {}, spec = {} } = {} }: ClaimTemplate,
  { pod, entry, state }: { readonly pod: Pod; readonly entry: string; readonly state: PodState },
): ResourceClaim {
  const { namespace = "" } = pod.metadata;
  return {
    metadata: {
      namespace,
      generateName: generatedName(pod.metadata.name ?? "", entry),
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata.annotations, [state.entryAnnotation]: entry },
      ownerReferences: [referenceTo(podKind, pod)],
    },
    spec,
  };
}

/** Both names are shortened alike: the end of the whole would leave nothing of the entry. */
function generatedName(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= longestBase) return whole;
  const part = (text: string): string => text.slice(0, Math.floor((text.length * longestBase) / whole.length));
  return `${part(pod)}-${part(entry)}`;
}
