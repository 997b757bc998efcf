import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { type Behaviors, behavior } from "../../behavior.js";
import { type Event, validateEvent } from "../core/event.js";
import { immutable } from "../shared/problems.js";
import { sameMeaning } from "../shared/same-meaning.js";

/** As it is stored: `core/v1`. */
interface CoreEvent extends Event {
  readonly type?: string;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly count?: number;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

/** It asks more of events than `core/v1` and `v1beta1` do. */
const event = behavior<CoreEvent>((naming) => ({
  validateRequest: (object, old) => [
    ...validateEvent(object, { naming, reporter: "reportingController" }),
    ...(old === undefined ? validateNew(object) : validateChange(object, old)),
  ],
}));

const oldEvent = behavior<CoreEvent>((naming) => ({
  validateRequest: (object) => validateEvent(object, { naming, reporter: "reportingController" }),
}));

const types = ["Normal", "Warning"];

function validateNew(object: CoreEvent): FieldError[] {
  const { component = "", host = "" } = object.source ?? {};
  const old = {
    firstTimestamp: object.firstTimestamp !== undefined,
    lastTimestamp: object.lastTimestamp !== undefined,
    count: (object.count ?? 0) !== 0,
    source: component !== "" || host !== "",
  };
  return [
    ...validateSeries(object),
    ...(object.eventTime === undefined ? [fieldError.required("eventTime")] : []),
    ...(types.includes(object.type ?? "")
      ? []
      : [fieldError.invalid("type", "", `has invalid value: ${object.type ?? ""}`)]),
    ...Object.entries(old).flatMap(([name, set]) => (set ? [fieldError.invalid(name, "", "needs to be unset")] : [])),
  ];
}

function validateSeries({ series }: CoreEvent): FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [fieldError.invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime === undefined ? [fieldError.required("series.lastObservedTime")] : []),
  ];
}

/** An event that is there says something new only by its series. */
const fixed = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
];

/** Errors tell names of the stored version, but for this one. */
const shownNames: ReadonlyMap<string, string> = new Map([["reportingComponent", "reportingController"]]);

function validateChange(object: CoreEvent, old: CoreEvent): FieldError[] {
  // The stored version always writes some fields that this one leaves out when they are empty.
  const valueIn = (of: CoreEvent, name: string): unknown => Reflect.get(of, name) || undefined;
  const changed = (name: string) => !sameMeaning(valueIn(object, name), valueIn(old, name));
  return [
    ...(changed("series") ? validateSeries(object) : []),
    ...fixed
      .filter(changed)
      .map((name) => fieldError.invalid(shownNames.get(name) ?? name, Reflect.get(object, name), immutable)),
  ];
}

export const eventsBehaviors: Behaviors = [
  ["events/v1.Event", event],
  ["events/v1beta1.Event", oldEvent],
];
