import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { patchTypes } from "@orch/client/patch-types.js";
import type { Outcome } from "@orch/client/work-queue.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Controller } from "../controller.js";
import { podKind } from "../ephemeral-volumes/decide-claims.js";
import { controllerOf } from "../rim/objects.js";
import type { Pod } from "../rim/pods.js";
import { createReconciler, type Owners } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import type { ControllerTools } from "../tools.js";
import { type ClaimAction, decideClaim, type KnownPod } from "./decide-claim.js";
import { decidePod, type PodAction } from "./decide-pod.js";
import { claimNameOf, isPodDone, podClaimsOf, type ResourceClaim } from "./types.js";

const name = "resourceclaim-controller";
const ofPod = "pod/";
const ofClaim = "claim/";

/** Makes the claims of devices that pods name templates for, and gives back what no pod uses any more. */
export function createResourceClaimController(
  { workers }: { readonly workers: number },
  tools: ControllerTools,
): Controller {
  const { client, informers, naming, telemetry } = tools;
  const [pods, claims, templates] = [
    informers.of("pods"),
    informers.of("resourceclaims"),
    informers.of("resourceclaimtemplates"),
  ];
  const events = recorderOf(tools, name, "resource_claim");
  const entryAnnotation = `resource.${naming.key("pod-claim-name")}`;
  const finalizer = `resource.${naming.key("delete-protection")}`;
  const templateResource = `resourceclaimtemplate.${naming.group("resource")}`;
  const claimKind = { apiVersion: `${naming.group("resource")}/v1beta1`, kind: "ResourceClaim" };
  /** Names of claims that were made, by the pod's uid and its entry, until the pod's status shows them. */
  const made = new Map<string, string>();
  const madeKey = ({ metadata }: ApiObject, entry: string): string => `${metadata.uid}/${entry}`;

  const warn = (pod: Pod, entry: string, problem: string): void =>
    events.tell({
      ...{ about: pod, kind: podKind, type: "Warning", reason: "FailedResourceClaimCreation" },
      message: `PodResourceClaim ${entry}: ${problem}`,
    });
  const create = async (
    pod: Pod,
    { entry, claim }: PodAction & { do: "create" },
    signal: AbortSignal,
  ): Promise<string> => {
    const { namespace = "" } = pod.metadata;
    const place = { ...claims.collection, namespace };
    const done = await client.create(place, { ...claimKind, ...claim }, { signal }).catch((error: unknown) => {
      telemetry.deviceClaimMade(false);
      warn(pod, entry, `create ResourceClaim ${claim.metadata.generateName}: ${messageOf(error)}`);
      throw error;
    });
    telemetry.deviceClaimMade(true);
    const { name: of = "" } = done.metadata;
    made.set(madeKey(pod, entry), of);
    return of;
  };
  const reserve = async (pod: Pod, claim: ResourceClaim, signal: AbortSignal): Promise<void> => {
    const { name: of = "", uid = "" } = pod.metadata;
    const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: "pods", name: of, uid }];
    await writeStatus(claim, { ...claim.status, reservedFor }, signal);
  };
  const placeOf = ({ metadata: { namespace = "" } }: ApiObject) => ({ ...claims.collection, namespace });
  const writeStatus = (claim: ResourceClaim, status: object, signal: AbortSignal): Promise<ApiObject> =>
    client.update(placeOf(claim), { ...claim, ...claimKind, status }, { subresource: "status", signal });

  const syncPod = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    const pod: Pod | undefined = pods.store.get(key);
    if (pod === undefined) return "done";
    const { namespace = "", name: of = "", uid = "" } = pod.metadata;
    const actions = decidePod(pod, {
      ...{ entryAnnotation, templateResource },
      claimNamed: (each) => claims.store.get(`${namespace}/${each}`),
      owned: [...claims.managedBy(uid)],
      madeFor: (entry) => made.get(madeKey(pod, entry)),
      templateNamed: (each) => templates.store.get(`${namespace}/${each}`),
    });
    const named: { readonly name: string; readonly resourceClaimName: string }[] = [];
    let refused = false;
    for (const action of actions) {
      if (action.do === "refuse") {
        warn(pod, action.entry, action.problem);
        refused = true;
      } else if (action.do === "reserve") await reserve(pod, action.claim, signal);
      else if (action.do === "name") named.push({ name: action.entry, resourceClaimName: action.claim });
      else named.push({ name: action.entry, resourceClaimName: await create(pod, action, signal) });
    }
    if (named.length > 0) {
      const body = { metadata: { uid }, status: { resourceClaimStatuses: named } };
      const how = { type: patchTypes.strategic, body, subresource: "status", signal };
      await client.patch({ ...pods.collection, namespace }, of, how).catch(unlessPast);
    }
    return refused ? "retry" : "done";
  };

  const carryOut = async (claim: ResourceClaim, action: ClaimAction, signal: AbortSignal): Promise<ResourceClaim> => {
    const { name: of = "", uid = "" } = claim.metadata;
    switch (action.do) {
      case "release": {
        const { allocation, reservedFor: _, ...rest } = claim.status ?? {};
        const kept = action.frees || allocation === undefined ? rest : { ...rest, allocation };
        return await writeStatus(claim, { ...kept, reservedFor: action.reservedFor }, signal);
      }
      case "dropFinalizer": {
        const finalizers = (claim.metadata.finalizers ?? []).filter((each) => each !== finalizer);
        const next = { ...claim, ...claimKind, metadata: { ...claim.metadata, finalizers } };
        return await client.update(placeOf(claim), next, { signal });
      }
      case "delete":
        await client.delete(placeOf(claim), of, { preconditions: { uid }, signal });
        return claim;
      case "refuse":
        throw new Error(action.problem);
      case "ask":
        return claim;
    }
  };
  const syncClaim = async (key: string, signal: AbortSignal): Promise<Outcome> => {
    let claim: ResourceClaim | undefined = claims.store.get(key);
    if (claim === undefined) return "done";
    const { namespace = "" } = claim.metadata;
    const asked = new Map<string, KnownPod>();
    const podNamed = (each: string): KnownPod => pods.store.get(`${namespace}/${each}`) ?? asked.get(each) ?? "unknown";
    let actions = decideClaim(claim, { finalizer, podNamed });
    for (const action of actions) {
      if (action.do !== "ask") continue;
      for (const of of action.pods) {
        const live = await client.get({ ...pods.collection, namespace }, of, { signal }).catch(unlessPast);
        asked.set(of, live ?? "gone");
      }
      actions = decideClaim(claim, { finalizer, podNamed });
      break;
    }
    for (const action of actions) claim = await carryOut(claim, action, signal);
    return "done";
  };

  const follows = (owners: Owners) => {
    const lookAtClaims = (pod: Pod): void => {
      for (const entry of podClaimsOf(pod)) {
        const claim = claimNameOf(pod, entry);
        if (typeof claim === "string") owners.add(`${ofClaim}${pod.metadata.namespace}/${claim}`);
      }
    };
    const podSeen = (pod: Pod): void => {
      if (podClaimsOf(pod).length === 0) return;
      for (const { name: entry = "" } of pod.status?.resourceClaimStatuses ?? []) made.delete(madeKey(pod, entry));
      owners.add(ofPod + keyOf(pod));
      if (isPodDone(pod)) lookAtClaims(pod);
    };
    const podGone = (pod: Pod): void => {
      for (const { name: entry = "" } of podClaimsOf(pod)) made.delete(madeKey(pod, entry));
      lookAtClaims(pod);
    };
    const claimSeen = (claim: ResourceClaim): void => {
      owners.add(ofClaim + keyOf(claim));
      for (const pod of pods.usingDevices(keyOf(claim))) owners.add(ofPod + keyOf(pod));
    };
    const claimGone = (claim: ResourceClaim): void => {
      for (const pod of pods.usingDevices(keyOf(claim))) owners.add(ofPod + keyOf(pod));
      const owner = controllerOf(claim);
      if (owner?.kind === "Pod") owners.add(`${ofPod}${claim.metadata.namespace}/${owner.name}`);
    };
    return [
      { informer: pods, handlers: { added: podSeen, modified: podSeen, deleted: podGone } },
      { informer: claims, handlers: { added: claimSeen, modified: claimSeen, deleted: claimGone } },
      { informer: templates, handlers: {} },
    ];
  };
  return createReconciler(
    {
      ...{ name, queue: "resource_claim", workers, follows },
      beside(signal) {
        telemetry.countDeviceClaims(() => {
          const all: readonly ResourceClaim[] = [...claims.store.values()];
          return { all: all.length, allocated: all.filter(({ status }) => status?.allocation !== undefined).length };
        });
        signal.addEventListener("abort", () => telemetry.countDeviceClaims(undefined), { once: true });
      },
      async sync(key, signal): Promise<Outcome> {
        const work = key.startsWith(ofPod)
          ? syncPod(key.slice(ofPod.length), signal)
          : syncClaim(key.slice(ofClaim.length), signal);
        return await work.catch((error: unknown): Outcome => unlessPast(error) ?? "retry");
      },
    },
    tools,
  );
}
