import type { JsonObject } from "@orch/schema/descriptor.js";
import { conversion } from "../../conversion.js";
import { valueAt } from "../../object.js";
import { withAnnotations } from "../shared/annotations.js";
import { sameMeaning } from "../shared/same-meaning.js";
import {
  type AnyAutoscaler,
  behaviorText,
  carriedBehavior,
  carriedList,
  carriers,
  listText,
  typeOf,
  withoutCarried,
} from "./carried.js";
import { metricFromHub, metricStatusFromHub, metricStatusToHub, metricToHub } from "./old-metrics.js";

const target = "targetCPUUtilizationPercentage";
const current = "currentCPUUtilizationPercentage";

/** v1 has one metric, the use of the processor; the others, conditions and behavior travel in annotations. */
export const v1 = conversion<AnyAutoscaler, AnyAutoscaler>((naming, types) => {
  const keys = carriers(naming);
  const none = withoutCarried(naming);
  const behaviorType = typeOf(types, "autoscaling/v2.HorizontalPodAutoscalerBehavior");
  const metricType = typeOf(types, "autoscaling/v1.MetricSpec");
  const statusType = typeOf(types, "autoscaling/v1.MetricStatus");
  const conditionType = typeOf(types, "autoscaling/v1.HorizontalPodAutoscalerCondition");
  return {
    toHub: (object) => {
      const { annotations = {} } = object.metadata;
      return {
        ...object,
        metadata: withAnnotations(object.metadata, none),
        ...specToHub(object.spec, {
          metrics: carriedList(annotations[keys.metrics], metricType),
          behavior: carriedBehavior(annotations[keys.behavior], behaviorType),
        }),
        ...statusToHub(object.status, {
          currentMetrics: carriedList(annotations[keys.currentMetrics], statusType),
          conditions: carriedList(annotations[keys.conditions], conditionType),
        }),
      };
    },
    fromHub: (object) => {
      const { spec, others, behavior } = specFromHub(object.spec);
      const { status, currentMetrics, conditions } = statusFromHub(object.status);
      const carried = {
        [keys.metrics]: listText(others, metricType),
        [keys.currentMetrics]: listText(currentMetrics, statusType),
        [keys.behavior]: behavior === undefined ? undefined : behaviorText(behavior),
        [keys.conditions]: listText(conditions, conditionType),
      };
      return {
        ...object,
        metadata: withAnnotations(object.metadata, { ...none, ...carried }),
        ...(object.spec === undefined ? {} : { spec }),
        ...(object.status === undefined ? {} : { status }),
      };
    },
  };
});

type Spec = NonNullable<AnyAutoscaler["spec"]>;
type Status = NonNullable<AnyAutoscaler["status"]>;

function specToHub(
  spec: Spec = {},
  carried: { readonly metrics: readonly JsonObject[] | undefined; readonly behavior: Spec["behavior"] | undefined },
): { readonly spec?: Spec } {
  const { [target]: use, ...rest } = spec;
  const metrics = [...(carried.metrics ?? []).map(metricToHub), ...(typeof use === "number" ? [metricOf(use)] : [])];
  const { behavior } = carried;
  return present("spec", {
    ...rest,
    ...(metrics.length === 0 ? {} : { metrics }),
    ...(behavior === undefined ? {} : { behavior }),
  });
}

function statusToHub(
  status: Status = {},
  carried: {
    readonly currentMetrics: readonly JsonObject[] | undefined;
    readonly conditions: readonly JsonObject[] | undefined;
  },
): { readonly status?: Status } {
  const { [current]: use, ...rest } = status;
  const measured = typeof use === "number" ? [metricStatusOf(use)] : undefined;
  const currentMetrics = carried.currentMetrics?.map(metricStatusToHub) ?? measured;
  const { conditions } = carried;
  return present("status", {
    ...rest,
    ...(currentMetrics === undefined ? {} : { currentMetrics }),
    ...(conditions === undefined ? {} : { conditions }),
  });
}

function present<Name extends string, T extends object>(name: Name, value: T): { readonly [name in Name]?: T } {
  return Object.keys(value).length === 0 ? {} : ({ [name]: value } as { readonly [name in Name]?: T });
}

function specFromHub(given: Spec = {}): {
  readonly spec: Spec;
  readonly others: readonly JsonObject[];
  readonly behavior: Spec["behavior"] | undefined;
} {
  const { metrics = [], behavior, ...spec } = given;
  const uses = metrics.map((m) => useOf(m, "target"));
  const main = metrics.findIndex((m, i) => uses[i] !== undefined && sameMeaning(m, metricOf(uses[i] ?? 0)));
  return {
    spec: main < 0 ? spec : { ...spec, [target]: uses[main] },
    others: metrics.filter((_, i) => i !== main).map(metricFromHub),
    behavior,
  };
}

function statusFromHub(given: Status = {}): {
  readonly status: Status;
  readonly currentMetrics: readonly JsonObject[];
  readonly conditions: readonly JsonObject[];
} {
  const { currentMetrics = [], conditions = [], ...status } = given;
  const use = currentMetrics.map((m) => useOf(m, "current")).find((u) => u !== undefined);
  // What the field says whole need not be said twice.
  const told = use !== undefined && currentMetrics.length === 1 && sameMeaning(currentMetrics[0], metricStatusOf(use));
  return {
    status: use === undefined ? status : { ...status, [current]: use },
    currentMetrics: told ? [] : currentMetrics.map(metricStatusFromHub),
    conditions,
  };
}

function metricOf(averageUtilization: number): JsonObject {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function metricStatusOf(averageUtilization: number): JsonObject {
  return { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } };
}

/** How much of the processor a metric asks for or tells; undefined for other metrics. */
function useOf(metric: JsonObject, part: "target" | "current"): number | undefined {
  if (metric["type"] !== "Resource" || valueAt(metric, "resource.name") !== "cpu") return undefined;
  const use = valueAt(metric, `resource.${part}.averageUtilization`);
  return typeof use === "number" ? use : undefined;
}
