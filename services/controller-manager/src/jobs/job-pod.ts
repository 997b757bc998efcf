import { isRecord } from "@orch/client/objects.js";
import { podOfTemplate } from "../rim/pod-control.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import type { NewPod } from "./decide.js";
import { failureAnnotations } from "./indexes.js";
import type { Job, JobKeys } from "./types.js";

/** A pod of a job's template: with the finalizer that lasts until it is counted, and its index if it has one. */
export function jobPod(job: Job, { index, failures }: NewPod, keys: JobKeys) {
  const pod = podOfTemplate(job.spec?.template ?? {}, job, workloadKinds.job);
  const finalizers = [...(pod.metadata.finalizers ?? []), keys.finalizer];
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } };
  const { name = "" } = job.metadata;
  const mark = { [keys.index]: String(index) };
  const annotations = {
    ...pod.metadata.annotations,
    ...mark,
    ...(failures === undefined ? {} : failureAnnotations(failures, keys)),
  };
  const metadata = {
    ...pod.metadata,
    ...{ generateName: `${name}-${index}-`, finalizers, annotations },
    labels: { ...pod.metadata.labels, ...mark },
  };
  return { ...pod, metadata, spec: { ...withIndex(pod.spec, keys.index), hostname: `${name}-${index}` } };
}

const variable = "JOB_COMPLETION_INDEX";

/** Every container is told the index, unless its template tells it something else under that name. */
function withIndex(spec: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const entry = { name: variable, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${key}']` } } };
  const told = (containers: unknown): unknown => {
    if (!Array.isArray(containers)) return containers;
    return containers.map((container: unknown) => {
      if (!isRecord(container)) return container;
      const env: readonly unknown[] = Array.isArray(container["env"]) ? container["env"] : [];
      const isKnown = env.some((each) => isRecord(each) && each["name"] === variable);
      return isKnown ? container : { ...container, env: [...env, entry] };
    });
  };
  return {
    ...spec,
    containers: told(spec["containers"]),
    ...(spec["initContainers"] === undefined ? {} : { initContainers: told(spec["initContainers"]) }),
  };
}
