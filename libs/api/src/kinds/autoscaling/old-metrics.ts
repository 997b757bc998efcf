import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { type Move, moveFields, reversed } from "../../conversion-moves.js";
import { type SourceName, sourceNames } from "./types.js";

/**
 * Metrics as v1 (in annotations) and v2beta1 have them, and as v2 has them: the same things at other places, and in
 * v2 the target tells its type.
 */
const resource = (name: string): readonly Move[] => [
  [`${name}.targetAverageUtilization`, `${name}.target.averageUtilization`],
  [`${name}.targetAverageValue`, `${name}.target.averageValue`],
];

const specMoves: readonly Move[] = [
  ["object.target", "object.describedObject"],
  ["object.metricName", "object.metric.name"],
  ["object.selector", "object.metric.selector"],
  ["object.targetValue", "object.target.value"],
  ["object.averageValue", "object.target.averageValue"],
  ["pods.metricName", "pods.metric.name"],
  ["pods.selector", "pods.metric.selector"],
  ["pods.targetAverageValue", "pods.target.averageValue"],
  ...resource("resource"),
  ...resource("containerResource"),
  ["external.metricName", "external.metric.name"],
  ["external.metricSelector", "external.metric.selector"],
  ["external.targetValue", "external.target.value"],
  ["external.targetAverageValue", "external.target.averageValue"],
];

const currentResource = (name: string): readonly Move[] => [
  [`${name}.currentAverageUtilization`, `${name}.current.averageUtilization`],
  [`${name}.currentAverageValue`, `${name}.current.averageValue`],
];

const statusMoves: readonly Move[] = [
  ["object.target", "object.describedObject"],
  ["object.metricName", "object.metric.name"],
  ["object.selector", "object.metric.selector"],
  ["object.currentValue", "object.current.value"],
  ["object.averageValue", "object.current.averageValue"],
  ["pods.metricName", "pods.metric.name"],
  ["pods.selector", "pods.metric.selector"],
  ["pods.currentAverageValue", "pods.current.averageValue"],
  ...currentResource("resource"),
  ...currentResource("containerResource"),
  ["external.metricName", "external.metric.name"],
  ["external.metricSelector", "external.metric.selector"],
  ["external.currentValue", "external.current.value"],
  ["external.currentAverageValue", "external.current.averageValue"],
];

/** `average` where a value for each pod is set, `whole` where not. */
const targetTypes: Record<SourceName, (target: JsonObject) => string> = {
  object: ({ averageValue }) => (averageValue === undefined ? "Value" : "AverageValue"),
  external: ({ value }) => (value === undefined ? "AverageValue" : "Value"),
  pods: () => "AverageValue",
  resource: utilizationOrValue,
  containerResource: utilizationOrValue,
};

function utilizationOrValue({ averageUtilization }: JsonObject): string {
  return averageUtilization === undefined ? "AverageValue" : "Utilization";
}

export function metricToHub(old: JsonObject): JsonObject {
  return eachSource(moveFields(old, specMoves), (source, name) => {
    const target = isObject(source["target"]) ? source["target"] : {};
    return { ...source, target: { type: targetTypes[name](target), ...target } };
  });
}

export function metricFromHub(metric: JsonObject): JsonObject {
  const untyped = eachSource(metric, (source) => {
    if (!isObject(source["target"])) return source;
    const { type: _type, ...target } = source["target"];
    return { ...source, target };
  });
  return moveFields(withoutEmpty(untyped, ["target", "metric"]), reversed(specMoves));
}

export function metricStatusToHub(old: JsonObject): JsonObject {
  return moveFields(old, statusMoves);
}

export function metricStatusFromHub(status: JsonObject): JsonObject {
  return moveFields(withoutEmpty(status, ["current", "metric"]), reversed(statusMoves));
}

function eachSource(metric: JsonObject, change: (source: JsonObject, name: SourceName) => JsonObject): JsonObject {
  const changed = sourceNames.flatMap((name) => {
    const source = metric[name];
    return isObject(source) ? [[name, change(source, name)] as const] : [];
  });
  return { ...metric, ...Object.fromEntries(changed) };
}

/** Old versions have no field for what says nothing. */
function withoutEmpty(metric: JsonObject, names: readonly string[]): JsonObject {
  return eachSource(metric, (source) =>
    Object.fromEntries(
      Object.entries(source).filter(
        ([name, value]) => !(names.includes(name) && isObject(value) && Object.keys(value).length === 0),
      ),
    ),
  );
}
