import { keyOf } from "@orch/client/object-store.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Informer, InformerHandlers } from "../rim/informers.js";
import { hasEnded } from "../rim/pods.js";
import { isReady } from "./conditions.js";
import type { SeenPod } from "./pod.js";
import { isSelected, type SeenService, selects } from "./service.js";

/** The services that select a pod, by their keys. */
function* keysOfServices(pod: ApiObject, services: Informer): Generator<string, void, void> {
  for (const service of services.inNamespace(pod.metadata.namespace ?? "")) {
    const { spec }: SeenService = service;
    if (selects(service) && isSelected(spec?.selector ?? {}, pod.metadata.labels)) yield keyOf(service);
  }
}

/** Tells of the services whose endpoints a change of a pod may change. */
export function serviceTeller(services: Informer, look: (key: string) => void): InformerHandlers {
  const lookAtThoseOf = (pod: ApiObject): void => {
    for (const key of keysOfServices(pod, services)) look(key);
  };
  return {
    added: lookAtThoseOf,
    modified(pod, before) {
      const relabelled = !isSame(pod.metadata.labels, before.metadata.labels);
      if (!relabelled && shownText(pod) === shownText(before)) return;
      lookAtThoseOf(pod);
      if (relabelled) lookAtThoseOf(before);
    },
    deleted: lookAtThoseOf,
  };
}

/** The pods that a service selects, by name. */
export function podsOf(service: SeenService, pods: Informer): readonly SeenPod[] {
  const selector = service.spec?.selector ?? {};
  const selected: SeenPod[] = [];
  for (const pod of pods.inNamespace(service.metadata.namespace ?? "")) {
    if (isSelected(selector, pod.metadata.labels)) selected.push(pod);
  }
  return selected.sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
}

/** What endpoints show of a pod beside its labels. */
function shownText(pod: SeenPod): string {
  const { spec = {}, status = {}, metadata } = pod;
  const gone = metadata.deletionTimestamp !== undefined;
  const addresses = (status.podIPs ?? []).map(({ ip }) => ip);
  return JSON.stringify([
    ...[spec.nodeName, spec.hostname, spec.subdomain],
    ...[gone, isReady(pod), hasEnded(pod), status.podIP, addresses],
  ]);
}

function isSame(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
