import type { Naming } from "@orch/naming/naming.js";
import type { OtherKinds, OtherObjects } from "../../cluster/objects.js";
import { wholeUnits } from "../../model/amounts.js";
import type { NodeFacts } from "../../model/node-info.js";
import { compileNodeSelector } from "../../model/node-selection.js";
import { selectorOf } from "../../model/pod-terms.js";
import { type Claim, claimKey, classOf, type Volume } from "./claims.js";

/** What binding a pod's claims on a node takes. */
export interface BindingPlan {
  /** Volumes that are there, for claims (`namespace/name`). */
  readonly bind: readonly { readonly volume: string; readonly claim: string }[];
  /** Claims whose volumes are to be made for the node. */
  readonly provision: readonly string[];
}

export const reasons = {
  conflict: "node(s) had volume node affinity conflict",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noStorage: "node(s) did not have enough free storage",
  gone: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
} as const;

export interface Storage {
  readonly objects: OtherObjects;
  readonly naming: Naming;
  /** Annotation of old that names the class. */
  readonly classAnnotation: string;
  /** Volumes that pods on their way have been promised: the claim by the volume. */
  readonly promised: ReadonlyMap<string, string>;
}

const compiled = new WeakMap<object, (node: NodeFacts) => boolean>();

export function reaches(volume: Volume, node: NodeFacts): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  if (required === undefined) return true;
  let test = compiled.get(required);
  if (test === undefined) {
    test = compileNodeSelector(required);
    compiled.set(required, test);
  }
  return test(node);
}

/** Plans for the claims of one pod on any node: volumes that would do are looked for once. */
export type PlanOn = (node: NodeFacts) => BindingPlan | string;

/** For claims that wait for their first pod. A node without a plan has the reason why. */
export function planner(claims: readonly Claim[], storage: Storage): PlanOn {
  // The smallest claim first: it takes the smallest volume and leaves the others.
  const wanted = claims
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
    .map((claim) => ({ claim, key: claimKey(claim), choices: choicesFor(claim, storage) }));
  return (node) => {
    const chosen = new Set<string>();
    const bind: { readonly volume: string; readonly claim: string }[] = [];
    const provision: string[] = [];
    for (const { claim, key, choices } of wanted) {
      const volume = choices.smallestOn(node, chosen);
      if (volume !== undefined) {
        chosen.add(volume);
        bind.push({ volume, claim: key });
        continue;
      }
      const problem = provisionProblem(claim, node, storage);
      if (problem !== undefined) return problem;
      provision.push(key);
    }
    return { bind, provision };
  };
}

const sizeOf = ({ spec }: Claim): number => wholeUnits(spec?.resources?.requests?.["storage"] ?? 0);

/** A volume that would do, on nodes that it reaches. */
interface Choice {
  readonly name: string;
  readonly volume: Volume;
  /** Bytes; less than none of a volume that was set aside for the claim. */
  readonly size: number;
}

/** Volumes that would do for a claim; those of one node alone are found by its labels. */
interface Choices {
  smallestOn(node: NodeFacts, chosen: ReadonlySet<string>): string | undefined;
}

function choicesFor(claim: Claim, storage: Storage): Choices {
  const byLabel = new Map<string, Map<string, Choice[]>>();
  const loose: Choice[] = [];
  for (const volume of storage.objects.PersistentVolume.all()) {
    const choice = choiceOf(volume, claim, storage);
    if (choice === undefined) continue;
    const place = placeOf(volume);
    if (place === undefined) {
      loose.push(choice);
      continue;
    }
    const ofKey = byLabel.get(place.key) ?? new Map<string, Choice[]>();
    byLabel.set(place.key, ofKey);
    for (const value of place.values) {
      const list = ofKey.get(value) ?? [];
      ofKey.set(value, list);
      list.push(choice);
    }
  }
  return {
    smallestOn(node, chosen) {
      let best: Choice | undefined;
      const look = (choices: readonly Choice[]): void => {
        for (const choice of choices) {
          if (best !== undefined && choice.size >= best.size) continue;
          if (!chosen.has(choice.name) && reaches(choice.volume, node)) best = choice;
        }
      };
      look(loose);
      for (const [key, ofKey] of byLabel) look(ofKey.get(node.labels.get(key) ?? "") ?? []);
      return best?.name;
    },
  };
}

function choiceOf(volume: Volume, claim: Claim, { promised, classAnnotation }: Storage): Choice | undefined {
  const { metadata = {}, spec = {}, status } = volume;
  const { name = "" } = metadata;
  const promise = promised.get(name);
  const holder = promise ?? refOf(volume);
  if (holder !== undefined && holder !== claimKey(claim)) return undefined;
  const size = wholeUnits(spec.capacity?.["storage"] ?? 0);
  if (size < sizeOf(claim) || modeOf(volume) !== modeOf(claim)) return undefined;
  if (holder !== undefined && promise === undefined) return { name, volume, size: -1 };
  if (metadata.deletionTimestamp !== undefined || (status?.phase ?? "Available") !== "Available") return undefined;
  if (classOf(volume, classAnnotation) !== classOf(claim, classAnnotation)) return undefined;
  const { selector, accessModes = [] } = claim.spec ?? {};
  if (selector !== undefined && selectorOf(selector)?.matches(metadata.labels) !== true) return undefined;
  return accessModes.every((mode) => spec.accessModes?.includes(mode) === true) ? { name, volume, size } : undefined;
}

const modeOf = ({ spec }: Claim | Volume): string => spec?.volumeMode ?? "Filesystem";

/** Values of a label without which a node is out of reach. */
function placeOf({ spec }: Volume): { readonly key: string; readonly values: readonly string[] } | undefined {
  const [term, ...others] = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const first = others.length > 0 ? undefined : term?.matchExpressions?.find(({ operator }) => operator === "In");
  return first?.key === undefined ? undefined : { key: first.key, values: first.values ?? [] };
}

/** The claim that a volume is bound to, or set aside for. */
function refOf({ spec }: Volume): string | undefined {
  const ref = spec?.claimRef;
  return ref === undefined ? undefined : `${ref.namespace ?? ""}/${ref.name ?? ""}`;
}

/** Why nobody makes a volume for a claim on a node. */
function provisionProblem(claim: Claim, node: NodeFacts, storage: Storage): string | undefined {
  const { objects, naming, classAnnotation } = storage;
  const storageClass = objects.StorageClass.get(classOf(claim, classAnnotation));
  const provisioner = storageClass?.provisioner ?? "";
  if (storageClass === undefined || provisioner === "" || provisioner === naming.key("no-provisioner")) {
    return reasons.noVolume;
  }
  const topologies = storageClass.allowedTopologies ?? [];
  const isAllowed = topologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key = "", values = [] }) => values.includes(node.labels.get(key) ?? "")),
  );
  if (topologies.length > 0 && !isAllowed) return reasons.noVolume;
  return hasCapacity(claim, node, storageClass, objects) ? undefined : reasons.noStorage;
}

/** Drivers that tell their capacity must have told enough for a segment that the node is in. */
function hasCapacity(
  claim: Claim,
  node: NodeFacts,
  { provisioner = "", metadata }: OtherKinds["StorageClass"],
  objects: OtherObjects,
): boolean {
  if (objects.CSIDriver.get(provisioner)?.spec?.storageCapacity !== true) return true;
  const labels = Object.fromEntries(node.labels);
  const size = sizeOf(claim);
  for (const { storageClassName, nodeTopology, capacity, maximumVolumeSize } of objects.CSIStorageCapacity.all()) {
    if (storageClassName !== metadata?.name || selectorOf(nodeTopology)?.matches(labels) !== true) continue;
    const most = maximumVolumeSize ?? capacity;
    if (most !== undefined && wholeUnits(most) >= size) return true;
  }
  return false;
}
