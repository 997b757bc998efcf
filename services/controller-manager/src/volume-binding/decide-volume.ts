import { type BindingWords, type Claim, claimKeyOf, isMarked, modeOf, type Told, type Volume } from "./types.js";

/** What a volume is decided by. */
export interface VolumeState {
  readonly words: BindingWords;
  /** The claim of the name that the volume refers to. */
  readonly claim: Claim | undefined;
  /** The server has been asked for it just now. */
  readonly asked: boolean;
}

export type Phase = "Available" | "Bound" | "Released" | "Failed";

export type VolumeAction =
  | { readonly do: "phase"; readonly phase: Phase; readonly message?: string; readonly event?: Told }
  /** The binding goes on, or is set right, from the claim's side. */
  | { readonly do: "lookAtClaim"; readonly key: string }
  /** What was seen of the claim may be old: the server is asked, then this is decided again. */
  | { readonly do: "askForClaim" }
  | { readonly do: "mismatch"; readonly ofVolume: Told; readonly ofClaim: Told; readonly claim: Claim }
  /** Its claim has another volume. */
  | { readonly do: "unbind" };

/** What is to become of a volume: in this order. */
export function decideVolume(volume: Volume, { words, claim, asked }: VolumeState): readonly VolumeAction[] {
  const ref = volume.spec?.claimRef;
  // Without a uid it is set aside: the claim takes it.
  if (ref === undefined || ref.uid === undefined || ref.uid === "") return toPhase(volume, "Available");
  if (claim === undefined || claim.metadata.uid !== ref.uid) {
    const isKnown = claim === undefined && isSettled(volume);
    return asked || isKnown ? release(volume, words) : [{ do: "askForClaim" }];
  }
  const bound = claim.spec?.volumeName ?? "";
  if (bound === volume.metadata.name) return toPhase(volume, "Bound");
  if (bound !== "") return decideElsewhere(volume, words);
  return modeOf(volume) === modeOf(claim)
    ? [{ do: "lookAtClaim", key: claimKeyOf(ref) }]
    : [{ do: "mismatch", claim, ...modesDiffer(volume, claim) }];
}

function toPhase(volume: Volume, phase: Phase): readonly VolumeAction[] {
  return volume.status?.phase === phase ? [] : [{ do: "phase", phase }];
}

const isSettled = ({ status }: Volume): boolean => status?.phase === "Released" || status?.phase === "Failed";

/** Its claim is bound to another volume: what was made for the claim goes, all else is free again. */
function decideElsewhere(volume: Volume, words: BindingWords): readonly VolumeAction[] {
  const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === "Delete";
  return isDeleted && isMarked(volume, words.provisionedBy) ? release(volume, words) : [{ do: "unbind" }];
}

/** Nobody has it any more. */
function release(volume: Volume, words: BindingWords): readonly VolumeAction[] {
  // That something has failed stays to be seen.
  const released = isSettled(volume) ? [] : toPhase(volume, "Released");
  const event = reclaimProblem(volume, words);
  if (event === undefined || volume.status?.phase === "Failed") return released;
  return [...released, { do: "phase", phase: "Failed", message: event.message, event }];
}

/** Why a volume cannot be taken back as its policy says; undefined where others do it, or nobody is to. */
function reclaimProblem({ metadata, spec }: Volume, words: BindingWords): Told | undefined {
  const warning = (reason: string, message: string): Told => ({ type: "Warning", reason, message });
  switch (spec?.persistentVolumeReclaimPolicy) {
    case "Delete": {
      const provisioner = metadata.annotations?.[words.provisionedBy] ?? "";
      // The driver's own provisioner deletes what nobody here made.
      if (provisioner === "" && spec.csi !== undefined) return undefined;
      if (provisioner === "") {
        const name = JSON.stringify(metadata.name);
        const problem = `error getting deleter volume plugin for volume ${name}: no deletable volume plugin matched`;
        return warning("VolumeFailedDelete", problem);
      }
      if (!provisioner.startsWith(words.builtIn)) return undefined;
      return warning("VolumeFailedDelete", `no volume plugin matched name: ${provisioner}`);
    }
    case "Recycle":
      return warning("VolumeFailedRecycle", "No recycler plugin found for the volume!");
    case "Retain":
    case undefined:
      return undefined;
    default:
      return warning("VolumeUnknownReclaimPolicy", "Volume has unrecognized reclaim policy");
  }
}

function modesDiffer({ metadata: volume }: Volume, { metadata: claim }: Claim) {
  const told = (message: string): Told => ({
    ...{ type: "Warning", reason: "VolumeMismatch" },
    message: `${message} due to incompatible volumeMode.`,
  });
  return {
    ofVolume: told(`Cannot bind PersistentVolume to requested PersistentVolumeClaim ${JSON.stringify(claim.name)}`),
    ofClaim: told(`Cannot bind PersistentVolume ${JSON.stringify(volume.name)} to requested PersistentVolumeClaim`),
  };
}
