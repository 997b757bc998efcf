import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { selectorMatches } from "../shared/label-selector.js";
import { isBroken } from "../shared/pod-selection.js";
import type { JobLabels } from "./job-labels.js";
import type { Job } from "./types.js";

/** Unless a Job selects its pods itself, its uid does; labels and selector that clients gave stay. */
export function withSelector(job: Job, keys: JobLabels): Job {
  const { spec = {} } = job;
  if (spec.manualSelector === true) return job;
  const { metadata = {} } = spec.template ?? {};
  const labels = { ...expected(job, keys), ...metadata.labels };
  const matchLabels = { [keys.uid]: job.metadata.uid ?? "", ...spec.selector?.matchLabels };
  return {
    ...job,
    spec: {
      ...spec,
      selector: { ...spec.selector, matchLabels },
      template: { ...spec.template, metadata: { ...metadata, labels } },
    },
  };
}

function expected({ metadata }: Job, keys: JobLabels): Record<string, string> {
  const { uid = "", name = "" } = metadata;
  return { [keys.oldName]: name, [keys.name]: name, [keys.oldUid]: uid, [keys.uid]: uid };
}

/** The generated selector and labels are those of this very Job; `old`: Jobs of before have the old labels only. */
export function validateSelector(job: Job, keys: JobLabels, old?: Job): FieldError[] {
  const { spec = {}, metadata } = job;
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const before = old?.spec?.template?.metadata?.labels;
  const prefixed = old === undefined || (before?.[keys.name] !== undefined && before[keys.uid] !== undefined);
  const wanted = expected(job, keys);
  const names = [keys.oldUid, keys.oldName, ...(prefixed ? [keys.uid, keys.name] : [])];
  const labels = Object.fromEntries(names.map((name) => [name, wanted[name] ?? ""]));
  return [
    ...((metadata.uid ?? "") === "" ? [fieldError.required("metadata.uid")] : []),
    ...names.flatMap((name) => validateLabel(job, name, wanted[name] ?? "")),
    ...(isBroken(spec.selector) || selectorMatches(spec.selector, labels)
      ? []
      : [fieldError.invalid("spec.selector", spec.selector, "`selector` not auto-generated")]),
  ];
}

function validateLabel(job: Job, name: string, wanted: string): FieldError[] {
  const { labels = {} } = job.spec?.template?.metadata ?? {};
  const at = `spec.template.metadata.labels[${name}]`;
  if (labels[name] === wanted) return [];
  const detail = `must be '${wanted}'`;
  return [labels[name] === undefined ? fieldError.required(at, detail) : fieldError.invalid(at, labels, detail)];
}
