import { isObject } from "@orch/schema/descriptor.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import type { PodTemplate } from "../core/pod/template.js";
import { immutable, nothing } from "../shared/problems.js";
import { sameMeaning } from "../shared/same-meaning.js";
import type { Job, JobSpec } from "./types.js";

/** What of a Job may change: not what its pods are, unless it is suspended and has never begun. */
export function validateJobUpdate(job: Job, old: Job): FieldError[] {
  const spec = job.spec ?? {};
  const before = old.spec ?? {};
  const waiting = before.suspend === true && old.status?.startTime === undefined;
  return [
    ...validateCompletions(spec, before),
    ...frozen(spec, before, "selector"),
    ...validateTemplate(spec.template ?? {}, before.template ?? {}, waiting),
    ...frozen(spec, before, "completionMode"),
    ...frozen(spec, before, "podFailurePolicy"),
    ...frozen(spec, before, "backoffLimitPerIndex"),
    ...frozen(spec, before, "managedBy"),
    ...frozen(spec, before, "successPolicy"),
  ];
}

function frozen(spec: JobSpec, old: JobSpec, name: keyof JobSpec): FieldError[] {
  const same = sameMeaning(spec[name], old[name]);
  return same ? [] : [fieldError.invalid(`spec.${name}`, spec[name] ?? nothing, immutable)];
}

/** An indexed Job is scaled by both numbers together. */
function validateCompletions(spec: JobSpec, old: JobSpec): FieldError[] {
  if (spec.completionMode !== "Indexed") return frozen(spec, old, "completions");
  const { completions, parallelism } = spec;
  if (completions === undefined || completions === old.completions || completions === parallelism) return [];
  return [fieldError.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}

/** Where the pods of a Job that waits may go is still open: queues decide it. */
function validateTemplate(template: PodTemplate, old: PodTemplate, waiting: boolean): FieldError[] {
  const same = waiting ? sameMeaning(fixed(template), fixed(old)) : sameMeaning(template, old);
  return same ? [] : [fieldError.invalid("spec.template", template, immutable)];
}

function fixed({ metadata = {}, spec = {} }: PodTemplate): object {
  const { labels: _labels, annotations: _annotations, ...meta } = metadata;
  const { nodeSelector: _selector, tolerations: _tolerations, schedulingGates: _gates, affinity, ...pod } = spec;
  const { nodeAffinity: _node, ...others } = isObject(affinity) ? affinity : {};
  return { metadata: meta, spec: { ...pod, affinity: others } };
}
