import { keyOf } from "@orch/client/object-store.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Controller } from "../controller.js";
import { podKind } from "../ephemeral-volumes/decide-claims.js";
import { claimKeysOf } from "../rim/informers.js";
import type { Pod } from "../rim/pods.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import type { ControllerTools } from "../tools.js";
import type { Claim, Told } from "../volume-binding/types.js";
import { attached, attachFailed, multiAttachEvent } from "./attachment-events.js";
import { createAttachmentFacts, volumeOf } from "./attachment-facts.js";
import { type AttachmentAction, decideAttachments, fateOf } from "./decide-attachments.js";
import { attachmentName, type DriverVolume, uniqueName, type VolumeAttachment, type VolumeNode } from "./types.js";

export interface AttachDetachConfig {
  /** After which everything is looked at again; undefined: never. */
  readonly periodMs: number | undefined;
  /** Volumes are taken from nodes that are not ready and do not let go of them. */
  readonly forces: boolean;
}

const name = "persistentvolume-attach-detach-controller";
const everything = "everything";
const ofVolume = "volume/";
const ofNode = "node/";

/** Asks drivers to attach the volumes of pods to their nodes, and to detach them when nobody needs them. */
export function createAttachDetachController(config: AttachDetachConfig, tools: ControllerTools): Controller {
  const { client, informers, naming } = tools;
  const [pods, claims, volumes] = [
    informers.of("pods"),
    informers.of("persistentvolumeclaims"),
    informers.of("persistentvolumes"),
  ];
  const [nodes, drivers] = [informers.of("nodes"), informers.of("csidrivers")];
  const attachments = informers.of("volumeattachments");
  const events = recorderOf(tools, name, "attachdetach-controller");
  const attachmentKind = { apiVersion: `${naming.group("storage")}/v1`, kind: "VolumeAttachment" };
  const facts = createAttachmentFacts(config, tools);
  const { usersOf, attachmentNamed, attachmentsOf, stateOf } = facts;
  /** What has been told of attachments, by their names, and of the nodes that each volume is refused: each text once. */
  const told = new Map<string, string>();
  const refused = new Map<string, Map<string, string>>();

  const tellOnce = (
    { key, before }: { readonly key: string; readonly before: Map<string, string> },
    about: readonly Pod[],
    eventOf: (pod: Pod) => Told,
  ): void => {
    const [first] = about;
    const text = first === undefined ? "" : eventOf(first).message;
    if (first === undefined || before.get(key) === text) return;
    before.set(key, text);
    for (const pod of about) events.tell({ about: pod, kind: podKind, ...eventOf(pod) });
  };
  const tellProgress = (volume: DriverVolume): void => {
    const { name: of = "" } = volume.metadata;
    for (const { name: key, node } of attachmentsOf(volume)) {
      const { attached: isAttached, attachError } = attachmentNamed(key)?.status ?? {};
      const on = usersOf(volume).filter(({ spec }) => spec?.nodeName === node);
      // What was attached before this process began is no news.
      if (isAttached === true && told.has(key)) tellOnce({ key, before: told }, on, () => attached(of));
      else if (isAttached !== true && attachError !== undefined) {
        tellOnce({ key, before: told }, on, () => attachFailed(of, attachError.message ?? ""));
      }
    }
  };
  const attach = async (volume: DriverVolume, node: string, signal: AbortSignal): Promise<void> => {
    const { name: of = "" } = volume.metadata;
    const key = attachmentName(volume, node);
    const spec = { attacher: volume.spec?.csi?.driver ?? "", nodeName: node, source: { persistentVolumeName: of } };
    const attachment = { ...attachmentKind, metadata: { name: key }, spec };
    // What is under way counts from here on: no other node gets the volume meanwhile.
    facts.made(attachment);
    told.set(key, "");
    await client.create(attachments.collection, attachment, { signal }).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
    });
  };
  const forget = (key: string): void => {
    told.delete(key);
    facts.forget(key);
  };
  const detach = async (key: string, signal: AbortSignal): Promise<void> => {
    const uid = attachmentNamed(key)?.metadata.uid;
    const preconditions = uid === undefined ? {} : { uid };
    await client.delete(attachments.collection, key, { preconditions, signal }).catch(unlessPast);
  };
  const carryOut = async (volume: DriverVolume, action: AttachmentAction, signal: AbortSignal): Promise<Outcome> => {
    const { name: of = "" } = volume.metadata;
    switch (action.do) {
      case "attach":
        await attach(volume, action.node, signal).catch((error: unknown) => {
          forget(attachmentName(volume, action.node));
          throw error;
        });
        return "done";
      case "refuse": {
        const users = usersOf(volume);
        const having = users.filter(({ spec }) => action.others.includes(spec?.nodeName ?? ""));
        const wanting = users.filter(({ spec }) => spec?.nodeName === action.node);
        const before = refused.get(of) ?? new Map<string, string>();
        refused.set(of, before);
        tellOnce({ key: action.node, before }, wanting, (pod) => multiAttachEvent(of, pod, having));
        return "done";
      }
      case "report":
        look.add(ofNode + action.node);
        return "done";
      case "detach":
        await detach(action.attachment, signal);
        return "done";
      case "lookAgain":
        return { againAfterMs: action.afterMs };
    }
  };
  const syncVolume = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const volume: DriverVolume | undefined = volumes.store.get(key);
    if (volume?.spec?.csi === undefined) {
      refused.delete(key);
      return "done";
    }
    const state = stateOf(volume);
    tellProgress(volume);
    let outcome: Outcome = "done";
    const actions = decideAttachments(state);
    const without = new Set(actions.flatMap((action) => (action.do === "refuse" ? [action.node] : [])));
    // Whoever is not refused any more may be refused, and told so, another time.
    for (const node of refused.get(key)?.keys() ?? []) if (!without.has(node)) refused.get(key)?.delete(node);
    if (without.size === 0) refused.delete(key);
    for (const action of actions) {
      const next = await carryOut(volume, action, signal);
      if (next !== "done") outcome = next;
    }
    return outcome;
  };

  /** What a node is told: volumes that are attached and not about to go. */
  const syncNode = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const node: VolumeNode | undefined = nodes.store.get(key);
    if (node === undefined || !facts.isManaged(node)) return "done";
    const names = facts.onNode(key).flatMap((of) => {
      const attachment = attachmentNamed(of);
      const volume: DriverVolume | undefined = volumes.store.get(attachment === undefined ? "" : volumeOf(attachment));
      if (volume?.spec?.csi === undefined) return [];
      const state = stateOf(volume);
      const own = state.attachments.find((each) => each.name === of);
      const counts = own?.attached === true && own.ours && !own.going && fateOf(own, state).is !== "goes";
      return counts ? [uniqueName(volume, naming)] : [];
    });
    const volumesAttached = [...new Set(names)].sort().map((each) => ({ name: each, devicePath: "" }));
    if (sameJson(volumesAttached, node.status?.volumesAttached ?? [])) return "done";
    const body = { metadata: { uid: node.metadata.uid }, status: { volumesAttached } };
    const how = { type: patchTypes.merge, body, subresource: "status", signal };
    await client.patch(nodes.collection, key, how).catch(unlessPast);
    return "done";
  };

  let look: Owners = { add: () => {}, addAfter: () => {} };
  const lookAtAll = (): void => {
    for (const key of volumes.store.keys()) look.add(ofVolume + key);
  };
  const follows = (owners: Owners) => {
    look = owners;
    if (config.periodMs !== undefined) owners.addAfter(everything, config.periodMs);
    const volumeSeen = (volume: DriverVolume): void => owners.add(ofVolume + keyOf(volume));
    const claimSeen = (claim: Claim): void => {
      const volume = claim.spec?.volumeName ?? "";
      if (volume !== "") owners.add(ofVolume + volume);
    };
    const podSeen = (pod: Pod): void => {
      for (const key of claimKeysOf(pod)) {
        const claim = claims.store.get(key);
        if (claim !== undefined) claimSeen(claim);
      }
    };
    const nodeSeen = (node: VolumeNode): void => {
      const { name: of = "" } = node.metadata;
      owners.add(ofNode + of);
      for (const key of facts.onNode(of)) owners.add(ofVolume + volumeOf(attachmentNamed(key) ?? { metadata: {} }));
      for (const pod of pods.onNode(of)) podSeen(pod);
    };
    /** Heartbeats wake nobody. */
    const partsOf = (node: VolumeNode): unknown => [
      facts.isManaged(node),
      node.spec?.taints,
      node.status?.volumesInUse,
      node.status?.volumesAttached,
      node.status?.conditions?.find(({ type }) => type === "Ready")?.status,
    ];
    const attachmentSeen = (attachment: VolumeAttachment): void => {
      const node = attachment.spec?.nodeName ?? "";
      facts.shown(attachment);
      owners.add(ofVolume + volumeOf(attachment));
      owners.add(ofNode + node);
    };
    const attachmentGone = (attachment: VolumeAttachment): void => {
      forget(keyOf(attachment));
      owners.add(ofVolume + volumeOf(attachment));
      owners.add(ofNode + (attachment.spec?.nodeName ?? ""));
    };
    return [
      { informer: volumes, handlers: { added: volumeSeen, deleted: volumeSeen } },
      { informer: claims, handlers: { added: claimSeen, modified: claimSeen } },
      { informer: drivers, handlers: { added: lookAtAll, modified: lookAtAll, deleted: lookAtAll } },
      { informer: attachments, handlers: { added: attachmentSeen, modified: attachmentSeen, deleted: attachmentGone } },
      {
        informer: nodes,
        handlers: {
          added: nodeSeen,
          modified(node: VolumeNode, before: VolumeNode) {
            if (!sameJson(partsOf(node), partsOf(before))) nodeSeen(node);
          },
          deleted: nodeSeen,
        },
      },
      { informer: pods, handlers: { added: podSeen, modified: podSeen, deleted: podSeen } },
    ];
  };
  return createReconciler(
    {
      ...{ name, queue: "attach_detach", workers: 1, follows },
      async sync(key, signal): Promise<Outcome> {
        if (key.startsWith(ofVolume)) return await syncVolume(key.slice(ofVolume.length), signal);
        if (key.startsWith(ofNode)) return await syncNode(key.slice(ofNode.length), signal);
        lookAtAll();
        return { againAfterMs: config.periodMs ?? 0 };
      },
    },
    tools,
  );
}
