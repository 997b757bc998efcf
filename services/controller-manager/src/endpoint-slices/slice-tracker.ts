import type { ApiObject } from "@orch/client/objects.js";

/** What a controller has written of slices, by the key of their service: as long as the store shows less, it is old. */
export interface SliceTracker {
  /** After a write that was answered with this. */
  wrote(service: string, slice: ApiObject): void;
  removed(service: string, slice: ApiObject): void;
  /** The store's slices of a service lack something that was written. */
  isOld(service: string, slices: readonly ApiObject[]): boolean;
  /** Whether a slice that the store shows was not written here: somebody else has changed it. */
  isForeign(service: string, slice: ApiObject): boolean;
  /** The store shows that it is gone; whether somebody else has removed it. */
  gone(service: string, slice: ApiObject): boolean;
  forget(service: string): void;
}

const expectedToGo = -1;

export function createSliceTracker(): SliceTracker {
  /** Generations by the uids of slices. */
  const services = new Map<string, Map<string, number>>();
  const uidOf = ({ metadata }: ApiObject): string => metadata.uid ?? "";
  const generationOf = ({ metadata }: ApiObject): number => metadata.generation ?? 0;
  const put = (service: string, slice: ApiObject, generation: number): void => {
    const known = services.get(service) ?? new Map<string, number>();
    services.set(service, known.set(uidOf(slice), generation));
  };
  return {
    wrote: (service, slice) => put(service, slice, generationOf(slice)),
    removed: (service, slice) => put(service, slice, expectedToGo),
    isOld(service, slices) {
      const written = services.get(service);
      if (written === undefined) return false;
      const shown = new Map(slices.map((slice) => [uidOf(slice), generationOf(slice)]));
      for (const [uid, generation] of written) {
        const now = shown.get(uid);
        if (generation === expectedToGo ? now !== undefined : now === undefined || now < generation) return true;
      }
      return false;
    },
    isForeign(service, slice) {
      const generation = services.get(service)?.get(uidOf(slice));
      return generation === undefined || generationOf(slice) > generation;
    },
    gone(service, slice) {
      const written = services.get(service);
      const generation = written?.get(uidOf(slice));
      written?.delete(uidOf(slice));
      return generation !== expectedToGo;
    },
    forget: (service) => void services.delete(service),
  };
}
