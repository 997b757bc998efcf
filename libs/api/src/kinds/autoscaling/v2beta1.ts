import type { JsonObject } from "@orch/schema/descriptor.js";
import { conversion } from "../../conversion.js";
import { withAnnotations } from "../shared/annotations.js";
import { type AnyAutoscaler, behaviorText, carriedBehavior, carriers, typeOf, withoutCarried } from "./carried.js";
import { metricFromHub, metricStatusFromHub, metricStatusToHub, metricToHub } from "./old-metrics.js";

/** v2beta1 has metrics at other places, and no behavior. */
export const v2beta1 = conversion<AnyAutoscaler, AnyAutoscaler>((naming, types) => {
  const keys = carriers(naming);
  const none = withoutCarried(naming);
  const behaviorType = typeOf(types, "autoscaling/v2.HorizontalPodAutoscalerBehavior");
  return {
    toHub: (object) => {
      const behavior = carriedBehavior(object.metadata.annotations?.[keys.behavior], behaviorType);
      const mapped = withMetrics(object, metricToHub, metricStatusToHub);
      return {
        ...mapped,
        metadata: withAnnotations(object.metadata, none),
        ...(behavior === undefined ? {} : { spec: { ...mapped.spec, behavior } }),
      };
    },
    fromHub: (object) => {
      const mapped = withMetrics(object, metricFromHub, metricStatusFromHub);
      const { behavior, ...spec } = mapped.spec ?? {};
      const carried = behavior === undefined ? {} : { [keys.behavior]: behaviorText(behavior) };
      return {
        ...mapped,
        metadata: withAnnotations(object.metadata, { ...none, ...carried }),
        ...(mapped.spec === undefined ? {} : { spec }),
      };
    },
  };
});

function withMetrics(
  object: AnyAutoscaler,
  ofSpec: (metric: JsonObject) => JsonObject,
  ofStatus: (metric: JsonObject) => JsonObject,
): AnyAutoscaler {
  const metrics = object.spec?.metrics?.map(ofSpec);
  const currentMetrics = object.status?.currentMetrics?.map(ofStatus);
  return {
    ...object,
    ...(metrics === undefined ? {} : { spec: { ...object.spec, metrics } }),
    ...(currentMetrics === undefined ? {} : { status: { ...object.status, currentMetrics } }),
  };
}
