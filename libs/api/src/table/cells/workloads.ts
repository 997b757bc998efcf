import { type Condition, isTrue } from "../../kinds/shared/conditions.js";
import type { ApiObject } from "../../object.js";
import { age, type Cell, type Cells, cell, none, unset } from "../cell.js";
import { humanDuration } from "../human-duration.js";

interface Job extends ApiObject {
  readonly spec?: { readonly completions?: number; readonly parallelism?: number };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly succeeded?: number;
    readonly startTime?: string;
    readonly completionTime?: string;
  };
}

interface CronJob extends ApiObject {
  readonly spec?: { readonly suspend?: boolean };
}

/** Of the groups `apps` and `batch`. */
export const workloadCells: Cells = [
  ["jobStatus", cell<Job>(jobStatus)],
  ["jobCompletions", cell<Job>(jobCompletions)],
  ["jobDuration", cell<Job>(jobDuration)],
  ["cronJobSuspend", cell<CronJob>(cronJobSuspend)],
  ["controller", cell(controller)],
];

function jobStatus({ metadata, status }: Job): string {
  const has = (type: string): boolean => isTrue(status?.conditions, type);
  const ended = ["Complete", "Failed"].find(has);
  if (ended !== undefined) return ended;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running";
}

/** A job without a number of completions is over with the first pod that succeeds. */
function jobCompletions({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec ?? {};
  const { succeeded = 0 } = status ?? {};
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration({ status: { startTime, completionTime } = {} }: Job): Cell {
  if (startTime === undefined) return "";
  if (completionTime === undefined) return age(startTime);
  return humanDuration(Date.parse(completionTime) - Date.parse(startTime));
}

function cronJobSuspend({ spec }: CronJob): string {
  if (spec?.suspend === undefined) return unset;
  return spec.suspend ? "True" : "False";
}

/** `daemonset.apps/name` of the owner that controls the object. */
function controller({ metadata: { ownerReferences = [] } }: ApiObject): string {
  const owner = ownerReferences.find((o) => o.controller === true);
  if (owner === undefined) return none;
  const { apiVersion = "", kind = "", name = "" } = owner;
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : `.${apiVersion.slice(0, slash)}`;
  return `${(kind + group).toLowerCase()}/${name}`;
}
