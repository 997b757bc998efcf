import type { Usage } from "@orch/api/kinds/core/pod/totals.js";
import type { Container, Pod } from "@orch/api/kinds/core/pod/types.js";
import type { Resources } from "@orch/api/kinds/core/resources.js";
import type { LimitRange } from "./types.js";

/**
 * A pod whose containers have what a range gives to those that do not say, and the annotation that tells what was set.
 * The same pod where nothing was.
 */
export function withDefaults<T extends Pod>(pod: T, range: LimitRange, annotation: string): T {
  const usual = usualOf(range);
  if (Object.keys(usual.requests).length === 0 && Object.keys(usual.limits).length === 0) return pod;
  const told: string[] = [];
  const filled = (containers: readonly Container[] | undefined, what: string) =>
    containers?.map((container) => {
      const { requests = {}, limits = {} } = container.resources ?? {};
      const [asked, bounded] = [missing(requests, usual.requests), missing(limits, usual.limits)];
      if (asked.length > 0) told.push(`${asked.join(", ")} request for ${what} ${container.name ?? ""}`);
      if (bounded.length > 0) told.push(`${bounded.join(", ")} limit for ${what} ${container.name ?? ""}`);
      if (asked.length + bounded.length === 0) return container;
      const resources = {
        ...container.resources,
        requests: { ...usual.requests, ...requests },
        limits: { ...usual.limits, ...limits },
      };
      return { ...container, resources: withoutEmpty(resources) };
    });
  const { spec = {} } = pod;
  const containers = filled(spec.containers, "container");
  const initContainers = filled(spec.initContainers, "init container");
  if (told.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${told.join("; ")}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: {
      ...spec,
      ...(containers === undefined ? {} : { containers }),
      ...(initContainers === undefined ? {} : { initContainers }),
    },
  };
}

/** What a range gives containers. */
function usualOf({ spec }: LimitRange): Usage {
  const limits = (spec?.limits ?? []).filter(({ type }) => type === "Container");
  return {
    requests: Object.assign({}, ...limits.map(({ defaultRequest }) => defaultRequest ?? {})),
    limits: Object.assign({}, ...limits.map((limit) => limit.default ?? {})),
  };
}

function missing(given: Resources, usual: Resources): readonly string[] {
  return Object.keys(usual)
    .filter((name) => !Object.hasOwn(given, name))
    .sort();
}

function withoutEmpty<T extends Usage>({ requests, limits, ...rest }: T): Container["resources"] {
  return {
    ...rest,
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}
