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
import { countVolumes } from "./count-volumes.js";
import { type ClaimAction, decideClaim, waitsForConsumer } from "./decide-claim.js";
import { decideVolume, type VolumeAction } from "./decide-volume.js";
import { defaultClass, isDefault } from "./default-class.js";
import { createFreeVolumes } from "./free-volumes.js";
import { findVolume } from "./match.js";
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
/** Claims and volumes that are worked on at once; the reference has no limit, and no flag. */
const workers = 16;
/** Volumes that become free one after the other are offered to claims together. */
const gatherMs = 50;
const offeredAtOnce = 200;

/** Binds claims to volumes, and takes back volumes whose claims are gone. */
export function createBinderController(config: BinderConfig, tools: ControllerTools): Controller {
  const { client, informers, naming, telemetry } = tools;
  const words = bindingWords(naming);
  const [claims, volumes] = [informers.of("persistentvolumeclaims"), informers.of("persistentvolumes")];
  const [classes, pods] = [informers.of("storageclasses"), informers.of("pods")];
  const writes = createBindingWrites(tools, words);
  const events = recorderOf(tools, name, "persistentvolume-controller");
  /** Names of volumes by the claim that they are held for; all others; keys of unbound claims by their class. */
  const volumesBy = createGroups();
  const free = createFreeVolumes();
  /** Which claim a volume is being bound to, by its name: the store does not show that yet. */
  const binding = new Map<string, string>();
  const unbound = createGroups();
  let look: Owners = { add: () => {}, addAfter: () => {} };

  const tell = (about: ApiObject, kind: Kind, event: Told | undefined): void => {
    if (event !== undefined) events.tell({ about, kind, ...event });
  };
  const candidatesFor = function* (claim: Claim): Generator<Volume> {
    const named = (name: string): readonly Volume[] => {
      const volume = binding.has(name) ? undefined : writes.volumes.get(name);
      return volume === undefined ? [] : [volume];
    };
    for (const each of volumesBy.in(ofClaim + keyOf(claim))) yield* named(each);
    const wanted = claim.spec?.resources?.requests?.["storage"] ?? "0";
    for (const each of free.largeEnough(classOf(claim, words), wanted)) yield* named(each);
  };
  const waitingPods = (claim: Claim): readonly string[] =>
    [...pods.usingClaim(keyOf(claim))].flatMap((pod: Pod) =>
      (pod.spec?.nodeName ?? "") === "" && !hasEnded(pod) ? [pod.metadata.name ?? ""] : [],
    );

  const bind = async (claim: Claim, volume: Volume, signal: AbortSignal): Promise<Outcome> => {
    const { name: of = "" } = volume.metadata;
    // Another claim has named it, and is first.
    if (binding.has(of)) return "retry";
    binding.set(of, keyOf(claim));
    try {
      await writes.bind(claim, volume, signal);
    } finally {
      binding.delete(of);
      look.add(ofVolume + of);
    }
    return "done";
  };
  const carryOutClaim = async (claim: Claim, action: ClaimAction, signal: AbortSignal): Promise<Outcome> => {
    switch (action.do) {
      case "nothing":
        return "done";
      case "bind":
        return await bind(claim, action.volume, signal);
      case "tell":
        tell(claim, claimKind, action.event);
        return "done";
      case "wait":
        tell(claim, claimKind, action.event);
        await writes.setUnbound(claim, "Pending", signal);
        return "done";
      case "lose":
        if (await writes.setUnbound(claim, "Lost", signal)) tell(claim, claimKind, action.event);
        return "done";
      case "assignClass": {
        const spec = { ...claim.spec, storageClassName: action.name };
        await writes.replaceClaim(claim, { ...claim, spec }, signal);
        look.add(ofClaim + keyOf(claim));
        return "done";
      }
      case "provision": {
        const marks = words.provisioners.map((key) => [key, action.provisioner] as const);
        const isTold = marks.every(([key, value]) => claim.metadata.annotations?.[key] === value);
        const annotations = { ...claim.metadata.annotations, ...Object.fromEntries(marks) };
        const next = { ...claim, metadata: { ...claim.metadata, annotations } };
        tell(isTold ? claim : await writes.replaceClaim(claim, next, signal), claimKind, action.event);
        return "done";
      }
    }
  };
  const syncClaim = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const claim = writes.claims.get(key);
    if (claim === undefined) return "done";
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
    return await carryOutClaim(claim, action, signal);
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
    // What is being bound is looked at once it is.
    if (known === undefined || binding.has(key)) return;
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

  /** Wakes as many claims of a class as there are free volumes for: what all others would be told they know. */
  const offerFree = (group: string): void => {
    const offered = new Set<Volume>();
    const waits = waitsForConsumer(classes.store.get(group.slice(ofClass.length)));
    for (const key of unbound.in(group)) {
      // What is looked at of volumes grows with what was offered: of very many the rest comes later.
      if (offered.size === offeredAtOnce) {
        look.addAfter(group, gatherMs);
        return;
      }
      const claim = writes.claims.get(key);
      if (claim === undefined) continue;
      if ((claim.spec?.volumeName ?? "") !== "") look.add(ofClaim + key);
      const volume = findVolume(claim, without(candidatesFor(claim), offered), { words, waits });
      if (volume === undefined) continue;
      offered.add(volume);
      look.add(ofClaim + key);
    }
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
    if (key.startsWith(ofClass)) offerFree(key);
    else if (key.startsWith(ofClaim)) return await syncClaim(key.slice(ofClaim.length), signal);
    else await syncVolume(key.slice(ofVolume.length), signal);
    return "done";
  };
  const follows = (owners: Owners) => {
    look = owners;
    owners.addAfter(everything, config.periodMs);
    const offer = (storageClass: string): void => owners.addAfter(ofClass + storageClass, gatherMs);
    const volumeSeen = (volume: Volume): void => {
      const ref = volume.spec?.claimRef;
      volumesBy.place(keyOf(volume), ref === undefined ? undefined : ofClaim + claimKeyOf(ref));
      const isFree = ref === undefined && volume.status?.phase === "Available";
      free.place(keyOf(volume), isFree ? volume : undefined, classOf(volume, words));
      owners.add(ofVolume + keyOf(volume));
      if (ref !== undefined) owners.add(ofClaim + claimKeyOf(ref));
      else if (isFree) offer(classOf(volume, words));
    };
    const claimSeen = (claim: Claim): void => {
      const isUnbound = !isMarked(claim, words.bindCompleted);
      unbound.place(keyOf(claim), isUnbound ? ofClass + classOf(claim, words) : undefined);
      owners.add(ofClaim + keyOf(claim));
      const named = claim.spec?.volumeName ?? "";
      if (named !== "") owners.add(ofVolume + named);
    };
    const classSeen = (storageClass: StorageClass): void => {
      const names = [storageClass.metadata.name ?? "", ...(isDefault(storageClass, words) ? [""] : [])];
      for (const each of names) for (const claim of unbound.in(ofClass + each)) owners.add(ofClaim + claim);
    };
    const volumeGone = (volume: Volume): void => {
      volumesBy.place(keyOf(volume), undefined);
      free.place(keyOf(volume), undefined, "");
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
      ...{ name, queue: "pvbinder", workers, follows },
      beside(signal) {
        telemetry.countVolumes(() => countVolumes(volumes.store.values(), claims.store.values(), words));
        signal.addEventListener("abort", () => telemetry.countVolumes(undefined), { once: true });
      },
      // What somebody else has changed meanwhile is looked at again.
      sync: (key, signal) => syncKey(key, signal).catch((error: unknown): Outcome => unlessPast(error) ?? "retry"),
    },
    tools,
  );
}

function* without<T>(all: Iterable<T>, some: ReadonlySet<T>): Generator<T> {
  for (const each of all) if (!some.has(each)) yield each;
}
