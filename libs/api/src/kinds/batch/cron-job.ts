import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { defaultPodTemplate, withoutDisabledTemplate } from "../core/pod/template.js";
import { validateJobSpec } from "./job-spec.js";
import { isTimeZone, scheduleProblem } from "./schedule.js";
import type { CronJob, CronJobSpec } from "./types.js";
import { cronJobWarnings } from "./warnings.js";

// What is added to make the names of Jobs, which are labels, takes eleven characters.
const maxName = 52;

export const cronJob = behavior<CronJob>((naming) => ({
  warnings: cronJobWarnings(naming),
  withoutDisabled: (object, old, features) => {
    const { spec = {} } = object;
    const template = spec.jobTemplate?.spec?.template;
    if (template === undefined) return object;
    const kept = withoutDisabledTemplate(template, old?.spec?.jobTemplate?.spec?.template, features);
    const jobSpec = { ...spec.jobTemplate?.spec, template: kept };
    return kept === template
      ? object
      : { ...object, spec: { ...spec, jobTemplate: { ...spec.jobTemplate, spec: jobSpec } } };
  },
  setDefaults: (object) => {
    const { spec = {} } = object;
    const { jobTemplate = {} } = spec;
    const template = defaultPodTemplate(jobTemplate.spec?.template ?? {});
    return { ...object, spec: { ...spec, jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template } } } };
  },
  validate: ({ spec = {} }) => validateJobTemplate(spec, "spec.jobTemplate", naming),
  validateCreate: ({ spec = {}, metadata: { name = "" } }) => [
    ...validateSchedule(spec, false),
    ...validateTimeZone(spec.timeZone),
    ...(name.length > maxName
      ? [fieldError.invalid("metadata.name", name, `must be no more than ${maxName} characters`)]
      : []),
  ],
  validateUpdate: ({ spec = {} }, old) => [
    ...validateSchedule(spec, old.spec?.schedule?.includes("TZ") ?? false),
    ...(spec.timeZone === old.spec?.timeZone ? [] : validateTimeZone(spec.timeZone)),
  ],
}));

/** A zone in the schedule itself is kept where it stood before there was a field for it. */
function validateSchedule({ schedule = "", timeZone }: CronJobSpec, zoned: boolean): FieldError[] {
  const at = "spec.schedule";
  if (schedule === "") return [];
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [fieldError.invalid(at, schedule, problem)];
  if (!schedule.includes("TZ")) return errors;
  if (!zoned) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [...errors, fieldError.invalid(at, schedule, detail)];
  }
  if (timeZone === undefined) return errors;
  const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
  return [...errors, fieldError.invalid(at, schedule, detail)];
}

/** https://data.iana.org/time-zones/theory.html#naming, with the digits and signs of older names. */
const zonePart = /^[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}$/;

function validateTimeZone(timeZone: string | undefined): FieldError[] {
  if (timeZone === undefined) return [];
  const wrong = (detail: string): FieldError => fieldError.invalid("spec.timeZone", timeZone, detail);
  if (timeZone === "") return [wrong("timeZone must be nil or non-empty string")];
  const named = timeZone.split("/").every((part) => part !== "." && part !== ".." && zonePart.test(part));
  if (!named) return [wrong(`unknown time zone ${timeZone}`)];
  const local = timeZone.toLowerCase() === "local";
  return [
    ...(local ? [wrong("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")] : []),
    // The reference's own zone has this very name.
    ...(timeZone === "Local" || isTimeZone(timeZone) ? [] : [wrong(`unknown time zone ${timeZone}`)]),
  ];
}

function validateJobTemplate({ jobTemplate }: CronJobSpec, at: string, naming: Naming): FieldError[] {
  const spec = jobTemplate?.spec ?? {};
  return [
    ...validateJobSpec(spec, `${at}.spec`, naming),
    ...(spec.selector === undefined
      ? []
      : [fieldError.invalid(`${at}.spec.selector`, spec.selector, "`selector` will be auto-generated")]),
    ...(spec.manualSelector === true
      ? [fieldError.notSupported(`${at}.spec.manualSelector`, true, ["nil", "false"])]
      : []),
  ];
}
