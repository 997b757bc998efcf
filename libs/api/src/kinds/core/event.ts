import type { Naming } from "@orch/naming/naming.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import type { ApiObject } from "../../object.js";

/** As it is stored, whichever group it came through. */
export interface Event extends ApiObject {
  readonly involvedObject?: { readonly namespace?: string };
  readonly eventTime?: string;
  readonly reason?: string;
  readonly action?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

const textLength = 128;
const messageLength = 1024;

export const event = behavior<Event>((naming) => ({
  validateRequest: (object) => validateEvent(object, { naming, reporter: "reportingComponent" }),
  selectableFields: (object) => {
    const component = object.reportingComponent ?? "";
    return { source: object.source?.component ?? component, reportingComponent: component };
  },
}));

export interface EventRules {
  readonly naming: Naming;
  /** What the version of the request calls the reporting component. */
  readonly reporter: "reportingComponent" | "reportingController";
}

/** What every version asks of an event. */
export function validateEvent(object: Event, rules: EventRules): FieldError[] {
  return object.eventTime === undefined ? validateOld(object) : validateNew(object, rules);
}

function mismatch(object: Event): FieldError {
  const detail = "does not match event.namespace";
  return fieldError.invalid("involvedObject.namespace", object.involvedObject?.namespace ?? "", detail);
}

/** Events of the first form, known by their missing eventTime. */
function validateOld(object: Event): FieldError[] {
  const { namespace = "" } = object.metadata;
  const involved = object.involvedObject?.namespace ?? "";
  const agree = involved === "" ? namespace === "" || namespace === "default" : namespace === involved;
  return agree ? [] : [mismatch(object)];
}

function validateNew(object: Event, { naming, reporter }: EventRules): FieldError[] {
  const { namespace = "" } = object.metadata;
  const clusterScoped = (object.involvedObject?.namespace ?? "") === "";
  const { reportingComponent = "" } = object;
  return [
    ...(clusterScoped && !naming.systemNamespaces.slice(0, 2).includes(namespace) ? [mismatch(object)] : []),
    ...(reportingComponent === "" ? [fieldError.required(reporter)] : []),
    ...qualifiedName(reportingComponent).map((p) => fieldError.invalid(reporter, reportingComponent, p)),
    ...(["reportingInstance", "action", "reason"] as const).flatMap((name) => needed(name, object[name] ?? "")),
    ...bounded("message", object.message ?? "", messageLength),
  ];
}

function needed(at: string, text: string): FieldError[] {
  return text === "" ? [fieldError.required(at)] : bounded(at, text, textLength);
}

function bounded(at: string, text: string, max: number): FieldError[] {
  return Buffer.byteLength(text) > max ? [fieldError.invalid(at, "", `can have at most ${max} characters`)] : [];
}
