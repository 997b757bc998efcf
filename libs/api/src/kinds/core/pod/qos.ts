import { compareQuantities, nanoOf } from "@orch/schema/formats/quantity.js";
import type { Resources } from "../resources.js";
import type { PodSpec } from "./types.js";

const counted = ["cpu", "memory"] as const;

/** The pod's quality of service: from what its containers ask for and are limited to, cpu and memory only. */
export function qosClass(spec: PodSpec): "Guaranteed" | "Burstable" | "BestEffort" {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((c) => c.resources ?? {});
  const positive = (resources: Resources | undefined, name: string) => nanoOf(resources?.[name] ?? "0") > 0n;
  const asks = all.some((r) => counted.some((name) => positive(r.requests, name) || positive(r.limits, name)));
  if (!asks) return "BestEffort";
  const fixed = all.every(({ limits, requests }) =>
    counted.every((name) => {
      const limit = limits?.[name];
      const request = requests?.[name] ?? limit;
      return (
        limit !== undefined &&
        request !== undefined &&
        positive(limits, name) &&
        compareQuantities(limit, request) === 0
      );
    }),
  );
  return fixed ? "Guaranteed" : "Burstable";
}
