import { findVolume, mismatch } from "./match.js";
import {
  type BindingWords,
  type Claim,
  classOf,
  isHeldFor,
  isMarked,
  type StorageClass,
  type Told,
  type Volume,
} from "./types.js";

/** What a claim is decided by. */
export interface ClaimState {
  readonly words: BindingWords;
  /** Classes are asked for volumes (`--enable-dynamic-provisioning`). */
  readonly provisions: boolean;
  readonly volumeNamed: (name: string) => Volume | undefined;
  /** Those that are held for the claim, then the free ones of its class in the order in which they are taken. */
  readonly candidates: () => Iterable<Volume>;
  readonly classNamed: (name: string) => StorageClass | undefined;
  /** As the server calls a class that is not there. */
  readonly classResource: string;
  readonly defaultClass: () => string | undefined;
  /** Names of pods that use the claim and have no node yet. */
  readonly waitingPods: () => readonly string[];
}

export type ClaimAction =
  | { readonly do: "nothing" }
  /** Each of both is made to name the other, and both are `Bound`. */
  | { readonly do: "bind"; readonly volume: Volume }
  /** It is `Pending`, with neither modes nor a size. */
  | { readonly do: "wait"; readonly event?: Told }
  | { readonly do: "tell"; readonly event: Told }
  | { readonly do: "assignClass"; readonly name: string }
  | { readonly do: "provision"; readonly provisioner: string; readonly event: Told }
  /** It is `Lost`, for good; told when it becomes so. */
  | { readonly do: "lose"; readonly event: Told };

/** What is to become of a claim. */
export function decideClaim(claim: Claim, state: ClaimState): ClaimAction {
  if (isMarked(claim, state.words.bindCompleted)) return decideBound(claim, state);
  const wanted = claim.spec?.volumeName ?? "";
  return wanted === "" ? decideUnbound(claim, state) : decideNamed(claim, wanted, state);
}

/** It was bound once: whatever has happened to its volume, it gets no other one. */
function decideBound(claim: Claim, { volumeNamed }: ClaimState): ClaimAction {
  const lost = (reason: string, message: string): ClaimAction => ({
    do: "lose",
    event: { type: "Warning", reason, message },
  });
  const name = claim.spec?.volumeName ?? "";
  if (name === "") {
    return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  }
  const volume = volumeNamed(name);
  if (volume === undefined) {
    return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  const holder = volume.spec?.claimRef;
  if (holder === undefined || holder.uid === claim.metadata.uid) return { do: "bind", volume };
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

/** It names its volume. */
function decideNamed(claim: Claim, name: string, { volumeNamed, words }: ClaimState): ClaimAction {
  const volume = volumeNamed(name);
  if (volume === undefined) return { do: "wait" };
  if (isHeldFor(volume, claim)) return { do: "bind", volume };
  if (volume.spec?.claimRef !== undefined) {
    const message = `volume ${JSON.stringify(name)} already bound to a different claim.`;
    const event = { type: "Warning", reason: "FailedBinding", message } as const;
    return { do: isMarked(claim, words.boundByController) ? "tell" : "wait", event };
  }
  const problem = mismatch(volume, claim, words);
  if (problem === undefined) return { do: "bind", volume };
  const message = `Cannot bind to requested volume ${JSON.stringify(name)}: ${problem}`;
  return { do: "wait", event: { type: "Warning", reason: "VolumeMismatch", message } };
}

/** Claims of the class get volumes once their first pods have nodes. */
export const waitsForConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer";

function decideUnbound(claim: Claim, state: ClaimState): ClaimAction {
  const { words } = state;
  const name = classOf(claim, words);
  const storageClass = name === "" ? undefined : state.classNamed(name);
  const waits = waitsForConsumer(storageClass);
  const volume = findVolume(claim, state.candidates(), { words, waits });
  if (volume !== undefined) return { do: "bind", volume };
  // An empty class is one, too: it says that there is to be none.
  const says = claim.spec?.storageClassName !== undefined || isMarked(claim, words.className);
  const usual = says ? undefined : state.defaultClass();
  if (usual !== undefined) return { do: "assignClass", name: usual };
  if (waits && !isMarked(claim, words.selectedNode)) return { do: "wait", event: consumerMissing(state.waitingPods()) };
  if (name !== "") return decideProvision(name, storageClass, state);
  const message = "no persistent volumes available for this claim and no storage class is set";
  return { do: "wait", event: { type: "Normal", reason: "FailedBinding", message } };
}

function consumerMissing(pods: readonly string[]): Told {
  const [pod] = pods;
  if (pod === undefined) {
    const message = "waiting for first consumer to be created before binding";
    return { type: "Normal", reason: "WaitForFirstConsumer", message };
  }
  const message =
    pods.length > 1 ? `waiting for pods ${pods.join(",")} to be scheduled` : `waiting for pod ${pod} to be scheduled`;
  return { type: "Normal", reason: "WaitForPodScheduled", message };
}

function decideProvision(name: string, storageClass: StorageClass | undefined, state: ClaimState): ClaimAction {
  if (!state.provisions) return { do: "nothing" };
  const failed = (message: string): ClaimAction => ({
    do: "tell",
    event: { type: "Warning", reason: "ProvisioningFailed", message },
  });
  if (storageClass === undefined) return failed(`${state.classResource} ${JSON.stringify(name)} not found`);
  const { provisioner = "" } = storageClass;
  if (provisioner.startsWith(state.words.builtIn)) return failed(`no volume plugin matched name: ${provisioner}`);
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  return { do: "provision", provisioner, event: { type: "Normal", reason: "ExternalProvisioning", message } };
}
