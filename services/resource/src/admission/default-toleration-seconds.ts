import type { Pod, Toleration } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import type { AdmissionPlugin } from "./admission.js";
import type { TolerationSeconds } from "./flags.js";

/** Pods stay for a while on a node that is not ready or out of reach, unless they say how long themselves. */
export function defaultTolerationSeconds(naming: Naming, seconds: TolerationSeconds): AdmissionPlugin {
  const usual: readonly Toleration[] = [
    ["not-ready", seconds.notReady] as const,
    ["unreachable", seconds.unreachable] as const,
  ].map(([taint, tolerationSeconds]) => ({
    ...{ key: `node.${naming.key(taint)}`, operator: "Exists", effect: "NoExecute" },
    tolerationSeconds,
  }));
  const tolerating = (object: AnyObject): AnyObject => {
    const { spec = {} }: Pod = object;
    const tolerations = withMissing(spec.tolerations ?? [], usual);
    return tolerations === spec.tolerations || tolerations.length === 0
      ? object
      : { ...object, spec: { ...spec, tolerations } };
  };
  return {
    name: "DefaultTolerationSeconds",
    handles: ({ group, plural }, subresource) => group === "" && plural === "pods" && subresource === "",
    mutateCreate: (_write, object) => tolerating(object),
    mutateUpdate: (_write, object) => tolerating(object),
  };
}

/** Those of `usual` are added whose taint nothing tolerates: without a key, all are tolerated. */
export function withMissing(given: readonly Toleration[], usual: readonly Toleration[]): readonly Toleration[] {
  const missing = usual.filter(({ key: taint }) => !given.some((toleration) => tolerates(toleration, taint)));
  return missing.length === 0 ? given : [...given, ...missing];
}

function tolerates({ key = "", effect = "" }: Toleration, taint: string | undefined): boolean {
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}
