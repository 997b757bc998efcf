import { podAnnotationKeys } from "@orch/api/kinds/core/pod/annotation-keys.js";
import type { ApiObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { CheckedContainer, CheckedSpec } from "./check.js";

export interface PodState extends Pick<ApiObject, "metadata"> {
  readonly spec?: CheckedSpec;
}

/** Whether an update changes what the standards are about: which containers there are, and of which images. */
export function isSignificant(pod: PodState, old: PodState, naming: Naming): boolean {
  const { seccompContainer } = podAnnotationKeys(naming);
  const seccompOf = ({ metadata }: PodState, { name = "" }: CheckedContainer): string | undefined =>
    metadata.annotations?.[`${seccompContainer}${name}`];
  const differs = (now: CheckedContainer, before: CheckedContainer | undefined): boolean =>
    before === undefined || now.image !== before.image || seccompOf(pod, now) !== seccompOf(old, now);
  const [spec, before] = [pod.spec ?? {}, old.spec ?? {}];
  const lasting = (["containers", "initContainers"] as const).some((list) => {
    const [now, then] = [spec[list] ?? [], before[list] ?? []];
    return now.length !== then.length || now.some((container, i) => differs(container, then[i]));
  });
  if (lasting) return true;
  const known = new Map((before.ephemeralContainers ?? []).map((container) => [container.name, container]));
  return (spec.ephemeralContainers ?? []).some((container) => differs(container, known.get(container.name)));
}
