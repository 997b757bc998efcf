import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import type { Kind } from "../rim/objects.js";
import { createWrittenCopies, type WrittenCopies } from "../rim/written-copies.js";
import type { ControllerTools } from "../tools.js";
import { boundStatus, claimOfVolume, unboundStatus, volumeOfClaim, withoutClaim } from "./bound.js";
import type { BindingWords, Claim, Volume } from "./types.js";

export const claimKind: Kind = {
  ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
  collection: { group: "", version: "v1", resource: "persistentvolumeclaims" },
};
export const volumeKind: Kind = {
  ...{ apiVersion: "v1", kind: "PersistentVolume" },
  collection: { group: "", version: "v1", resource: "persistentvolumes" },
};

/** What is written of claims and volumes, and both as they are after what was written. */
export interface BindingWrites {
  readonly claims: WrittenCopies<Claim>;
  readonly volumes: WrittenCopies<Volume>;
  /** In this order, of which each part is enough to go on from: volume, its phase, claim, its phase. */
  bind(claim: Claim, volume: Volume, signal: AbortSignal): Promise<void>;
  unbind(volume: Volume, signal: AbortSignal): Promise<void>;
  setPhase(
    volume: Volume,
    status: { readonly phase: string; readonly message?: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** `Pending` or `Lost`. @returns whether its phase has changed */
  setUnbound(claim: Claim, phase: string, signal: AbortSignal): Promise<boolean>;
  replaceClaim(claim: Claim, next: Claim, signal: AbortSignal): Promise<Claim>;
}

/** Every write names the version that it is based upon. @throws ApiError */
export function createBindingWrites({ client, informers }: ControllerTools, words: BindingWords): BindingWrites {
  const claims = createWrittenCopies<Claim>(informers.of("persistentvolumeclaims").store);
  const volumes = createWrittenCopies<Volume>(informers.of("persistentvolumes").store);

  const writer =
    <T extends ApiObject>({ apiVersion, kind, collection }: Kind, copies: WrittenCopies<T>) =>
    async (before: T, next: T, signal: AbortSignal, subresource?: "status"): Promise<T> => {
      const { namespace } = before.metadata;
      const place: Collection = namespace === undefined ? collection : { ...collection, namespace };
      const how = subresource === undefined ? { signal } : { signal, subresource };
      const written = withoutManagers(await client.update(place, { ...next, apiVersion, kind }, how));
      const known = { ...next, ...written };
      copies.wrote(keyOf(before), before, known);
      return known;
    };
  const writeVolume = writer(volumeKind, volumes);
  const writeClaim = writer(claimKind, claims);

  const setPhase = async (
    volume: Volume,
    { phase, message }: { readonly phase: string; readonly message?: string },
    signal: AbortSignal,
  ): Promise<void> => {
    if (volume.status?.phase === phase) return;
    const { message: _old, ...status } = volume.status ?? {};
    const next = { ...status, phase, ...(message === undefined ? {} : { message }) };
    await writeVolume(volume, { ...volume, status: next }, signal, "status");
  };
  return {
    claims,
    volumes,
    setPhase,
    replaceClaim: (claim, next, signal) => writeClaim(claim, next, signal),
    async bind(claim, volume, signal) {
      const taken = volumeOfClaim(volume, claim, words);
      const held = taken === undefined ? volume : await writeVolume(volume, taken, signal);
      await setPhase(held, { phase: "Bound" }, signal);
      const named = claimOfVolume(claim, held, words);
      const bound = named === undefined ? claim : await writeClaim(claim, named, signal);
      const status = boundStatus(bound, held);
      if (status !== undefined) await writeClaim(bound, { ...bound, status }, signal, "status");
    },
    async unbind(volume, signal) {
      const free = await writeVolume(volume, withoutClaim(volume, words), signal);
      await setPhase(free, { phase: "Available" }, signal);
    },
    async setUnbound(claim, phase, signal) {
      const status = unboundStatus(claim, phase);
      if (status === undefined) return false;
      await writeClaim(claim, { ...claim, status }, signal, "status");
      return claim.status?.phase !== phase;
    },
  };
}
