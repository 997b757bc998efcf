import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import type { Outcome } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { createGroups } from "../rim/groups.js";
import type { Kind } from "../rim/objects.js";
import { hasEnded, type Pod } from "../rim/pods.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import type { ControllerTools } from "../tools.js";
import { claimKind, createBindingWrites, volumeKind } from "./binding-writes.js";
import { type ClaimAction, decideClaim } from "./decide-claim.js";
import { decideVolume, type VolumeAction } from "./decide-volume.js";
import { defaultClass, isDefault } from "./default-class.js";
import {
  bindingWords,
  type Claim,
  claimKeyOf,
  classOf,
  isMarked,
  type StorageClass,
  type Told,
  type Volume,
} from "./types.js";

export interface BinderConfig {
  /** After which everything is looked at again. */
  readonly periodMs: number;
  /** Provisioners of classes are asked for volumes. */
  readonly provisions: boolean;
}

const name = "persistentvolume-binder-controller";
/** What is looked at: everything, the unbound claims of a class, a claim, a volume. */
const everything = "everything";
const ofClass = "class/";
const ofClaim = "claim/";
const ofVolume = "volume/";
/** Volumes that become free one after the other are offered to claims together. */
const gatherMs = 50;

/** Binds claims to volumes, and takes back volumes whose claims are gone. */
export function createBinderController(config: BinderConfig, tools: ControllerTools): Controller {
  const { client, informers, naming } = tools;
  const words = bindingWords(naming);
  const [claims, volumes] = [informers.of("persistentvolumeclaims"), informers.of("persistentvolumes")];
  const [classes, pods] = [informers.of("storageclasses"), informers.of("pods")];
  const writes = createBindingWrites(tools, words);
  const events = recorderOf(tools, name, "persistentvolume-controller");
  /** Names of volumes by the claim that they are held for, else by their class; keys of unbound claims by their class. */
  const volumesBy = createGroups();
  const unbound = createGroups();
  let look: Owners = { add: () => {}, addAfter: () => {} };

  const tell = (about: ApiObject, kind: Kind, event: Told | undefined): void => {
    if (event !== undefined) events.tell({ about, kind, ...event });
  };
  const candidatesFor = function* (claim: Claim): Generator<Volume> {
    for (const group of [ofClaim + keyOf(claim), ofClass + classOf(claim, words)]) {
      for (const each of volumesBy.in(group)) {
        const volume = writes.volumes.get(each);
        if (volume !== undefined) yield volume;
      }
    }
  };
  const waitingPods = (claim: Claim): readonly string[] =>
    [...pods.usingClaim(keyOf(claim))].flatMap((pod: Pod) =>
      (pod.spec?.nodeName ?? "") === "" && !hasEnded(pod) ? [pod.metadata.name ?? ""] : [],
    );

  const carryOutClaim = async (claim: Claim, action: ClaimAction, signal: AbortSignal): Promise<void> => {
    switch (action.do) {
      case "nothing":
        return;
      case "bind":
        return await writes.bind(claim, action.volume, signal);
      case "tell":
        return tell(claim, claimKind, action.event);
      case "wait":
        tell(claim, claimKind, action.event);
        await writes.setUnbound(claim, "Pending", signal);
        return;
      case "lose":
        if (await writes.setUnbound(claim, "Lost", signal)) tell(claim, claimKind, action.event);
        return;
      case "assignClass": {
        const spec = { ...claim.spec, storageClassName: action.name };
        await writes.replaceClaim(claim, { ...claim, spec }, signal);
        return look.add(ofClaim + keyOf(claim));
      }
      case "provision": {
        const marks = words.provisioners.map((key) => [key, action.provisioner] as const);
        const isTold = marks.every(([key, value]) => claim.metadata.annotations?.[key] === value);
        const annotations = { ...claim.metadata.annotations, ...Object.fromEntries(marks) };
        const next = { ...claim, metadata: { ...claim.metadata, annotations } };
        tell(isTold ? claim : await writes.replaceClaim(claim, next, signal), claimKind, action.event);
      }
    }
  };
  const syncClaim = async (key: string, signal: AbortSignal): Promise<void> => {
    const claim = writes.claims.get(key);
    if (claim === undefined) return;
    const action = decideClaim(claim, {
      words,
      provisions: config.provisions,
      volumeNamed: writes.volumes.get,
      candidates: () => candidatesFor(claim),
      classNamed: (each): StorageClass | undefined => classes.store.get(each),
      classResource: `storageclass.${naming.group("storage")}`,
      defaultClass: () => defaultClass(classes.store.values(), words),
      waitingPods: () => waitingPods(claim),
    });
    await carryOutClaim(claim, action, signal);
  };

  const liveClaim = async (volume: Volume, signal: AbortSignal): Promise<Claim | undefined> => {
    const { namespace = "", name: of = "" } = volume.spec?.claimRef ?? {};
    return await client.get({ ...claimKind.collection, namespace }, of, { signal }).catch(unlessPast);
  };
  /** @returns whether the volume is to be decided anew, with what the server says of its claim */
  const carryOutVolume = async (volume: Volume, action: VolumeAction, signal: AbortSignal): Promise<boolean> => {
    switch (action.do) {
      case "askForClaim":
        return true;
      case "phase":
        await writes.setPhase(volume, action, signal);
        tell(volume, volumeKind, action.event);
        return false;
      case "lookAtClaim":
        look.add(ofClaim + action.key);
        return false;
      case "mismatch":
        tell(volume, volumeKind, action.ofVolume);
        tell(action.claim, claimKind, action.ofClaim);
        return false;
      case "unbind":
        await writes.unbind(volume, signal);
        return false;
    }
  };
  const syncVolume = async (key: string, signal: AbortSignal): Promise<void> => {
    const known = writes.volumes.get(key);
    if (known === undefined) return;
    const carryOut = async (actions: readonly VolumeAction[]): Promise<boolean> => {
      let asks = false;
      // Each goes on from what the one before has written.
      for (const action of actions) asks = await carryOutVolume(writes.volumes.get(key) ?? known, action, signal);
      return asks;
    };
    const ref = known.spec?.claimRef;
    const claim = ref === undefined ? undefined : writes.claims.get(claimKeyOf(ref));
    if (!(await carryOut(decideVolume(known, { words, claim, asked: false })))) return;
    const live = await liveClaim(known, signal);
    await carryOut(decideVolume(known, { words, claim: live, asked: true }));
  };

  const lookAtAll = (): void => {
    for (const key of volumes.store.keys()) look.add(ofVolume + key);
    for (const key of claims.store.keys()) look.add(ofClaim + key);
  };
  const syncKey = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    if (key === everything) {
      lookAtAll();
      return { againAfterMs: config.periodMs };
    }
    if (key.startsWith(ofClass)) for (const claim of unbound.in(key)) look.add(ofClaim + claim);
    else if (key.startsWith(ofClaim)) await syncClaim(key.slice(ofClaim.length), signal);
    else await syncVolume(key.slice(ofVolume.length), signal);
    return "done";
  };
  const follows = (owners: Owners) => {
    look = owners;
    owners.addAfter(everything, config.periodMs);
    const offer = (storageClass: string): void => owners.addAfter(ofClass + storageClass, gatherMs);
    const volumeSeen = (volume: Volume): void => {
      const ref = volume.spec?.claimRef;
      const group = ref === undefined ? ofClass + classOf(volume, words) : ofClaim + claimKeyOf(ref);
      volumesBy.place(keyOf(volume), group);
      owners.add(ofVolume + keyOf(volume));
      if (ref !== undefined) owners.add(ofClaim + claimKeyOf(ref));
      else if (volume.status?.phase === "Available") offer(classOf(volume, words));
    };
    const claimSeen = (claim: Claim): void => {
      const isUnbound = !isMarked(claim, words.bindCompleted);
      unbound.place(keyOf(claim), isUnbound ? ofClass + classOf(claim, words) : undefined);
      owners.add(ofClaim + keyOf(claim));
      const named = claim.spec?.volumeName ?? "";
      if (named !== "") owners.add(ofVolume + named);
    };
    const classSeen = (storageClass: StorageClass): void => {
      offer(storageClass.metadata.name ?? "");
      if (isDefault(storageClass, words)) offer("");
    };
    const volumeGone = (volume: Volume): void => {
      volumesBy.place(keyOf(volume), undefined);
      const ref = volume.spec?.claimRef;
      if (ref !== undefined) owners.add(ofClaim + claimKeyOf(ref));
    };
    const claimGone = (claim: Claim): void => {
      unbound.place(keyOf(claim), undefined);
      for (const volume of volumesBy.in(ofClaim + keyOf(claim))) owners.add(ofVolume + volume);
    };
    return [
      { informer: volumes, handlers: { added: volumeSeen, modified: volumeSeen, deleted: volumeGone } },
      { informer: claims, handlers: { added: claimSeen, modified: claimSeen, deleted: claimGone } },
      { informer: classes, handlers: { added: classSeen, modified: classSeen } },
      { informer: pods, handlers: {} },
    ];
  };
  return createReconciler(
    {
      ...{ name, queue: "pvbinder", workers: 1, follows },
      // What somebody else has changed meanwhile is looked at again.
      sync: (key, signal) => syncKey(key, signal).catch((error: unknown): Outcome => unlessPast(error) ?? "retry"),
    },
    tools,
  );
}
