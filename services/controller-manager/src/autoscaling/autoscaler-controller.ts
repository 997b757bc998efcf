import { parseLabelSelector, SelectorError } from "@orch/api/selectors/labels.js";
import { keyOf } from "@orch/client/object-store.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Controller } from "../controller.js";
import type { Kind } from "../rim/objects.js";
import type { Pod } from "../rim/pods.js";
import { createReconciler } from "../rim/reconciler.js";
import { recorderOf } from "../rim/recorder.js";
import { sameJson } from "../rim/same-json.js";
import { writeStatus } from "../rim/write-status.js";
import type { ControllerTools } from "../tools.js";
import { afterRescale, type Decision, decide, withProblem } from "./decide.js";
import { type Memory, nothingRemembered } from "./limits.js";
import { createMetricsReader } from "./metrics-reader.js";
import { readScale, type SeenScale, writeScale } from "./scales.js";
import type { Autoscaler, AutoscalerStatus } from "./types.js";

export interface AutoscalerConfig {
  /** Autoscalers that are looked at at once. */
  readonly workers: number;
  /** Between two looks at one. */
  readonly periodMs: number;
  readonly tolerance: number;
  /** How long the highest proposal holds before shrinking. */
  readonly downWindowMs: number;
  readonly cpuInitializationMs: number;
  readonly initialReadinessMs: number;
}

const kind: Kind = {
  ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
  collection: { group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers" },
};
/** Rates look back so long at most. */
const longestPeriodMs = 1_800_000;

/** What stands in the way of a decision: told by a condition and an event, and tried again at the next look. */
class Problem extends Error {
  constructor(
    readonly type: "AbleToScale" | "ScalingActive",
    readonly reason: string,
    message: string,
    readonly event: { readonly reason: string; readonly message: string },
  ) {
    super(message);
  }
}

/** Gives targets of autoscalers as many replicas as their metrics ask for. */
export function createAutoscalerController(config: AutoscalerConfig, tools: ControllerTools): Controller {
  const { client, clock, discovery, informers, naming } = tools;
  const autoscalers = informers.of("horizontalpodautoscalers");
  const pods = informers.of("pods");
  const readMetric = createMetricsReader({ client, naming });
  const events = recorderOf(tools, "horizontal-pod-autoscaler-controller", "horizontal-pod-autoscaler");
  /** By the autoscaler's key. */
  const memories = new Map<string, Memory>();
  /** Selectors of the targets that were seen last, by namespace and text: two autoscalers of the same pods would fight. */
  const selectors = new Map<string, Set<string>>();
  const selectorsBy = new Map<string, string>();
  const forgetSelector = (key: string): void => {
    const before = selectorsBy.get(key);
    if (before === undefined) return;
    selectorsBy.delete(key);
    const others = selectors.get(before);
    others?.delete(key);
    if (others?.size === 0) selectors.delete(before);
  };
  const forget = (key: string): void => {
    memories.delete(key);
    forgetSelector(key);
  };
  const tell = (
    about: Autoscaler,
    type: "Normal" | "Warning",
    { reason, message }: { reason: string; message: string },
  ) => events.tell({ about, kind, type, reason, message });

  const scaleOf = async (autoscaler: Autoscaler, signal: AbortSignal) => {
    const { scaleTargetRef: target = { kind: "", name: "" } } = autoscaler.spec ?? {};
    const { namespace = "" } = autoscaler.metadata;
    try {
      const served = await discovery.read(signal);
      return { served, scale: await readScale(client, { target, namespace, served }, signal) };
    } catch (error) {
      if (signal.aborted) throw error;
      const why = messageOf(error);
      const message = `the HPA controller was unable to get the target's current scale: ${why}`;
      throw new Problem("AbleToScale", "FailedGetScale", message, { reason: "FailedGetScale", message: why });
    }
  };
  const podsOf = (autoscaler: Autoscaler, { selector }: SeenScale): readonly Pod[] => {
    const { namespace = "" } = autoscaler.metadata;
    if (selector === "") {
      const event = { reason: "SelectorRequired", message: "selector is required" };
      throw new Problem("ScalingActive", "InvalidSelector", "the HPA target's scale is missing a selector", event);
    }
    const key = keyOf(autoscaler);
    const place = `${namespace}/${selector}`;
    if (selectorsBy.get(key) !== place) {
      forgetSelector(key);
      selectorsBy.set(key, place);
      selectors.set(place, (selectors.get(place) ?? new Set()).add(key));
    }
    const rivals = selectors.get(place);
    if (rivals !== undefined && rivals.size > 1) {
      const message = `pods by selector ${selector} are controlled by multiple HPAs: [${[...rivals].toSorted().join(" ")}]`;
      throw new Problem("ScalingActive", "AmbiguousSelector", message, { reason: "AmbiguousSelector", message });
    }
    try {
      const { matches } = parseLabelSelector(selector);
      return [...pods.inNamespace(namespace)].filter(({ metadata }) => matches(metadata.labels));
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
      throw new Problem("ScalingActive", "InvalidSelector", message, { reason: "InvalidSelector", message });
    }
  };
  const rescale = async (autoscaler: Autoscaler, decision: Decision, scale: SeenScale, signal: AbortSignal) => {
    if (decision.rescale === undefined) return decision.status;
    const { to, reason } = decision.rescale;
    const now = clock.now();
    try {
      await writeScale(client, scale, to, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const why = messageOf(error);
      tell(autoscaler, "Warning", {
        reason: "FailedRescale",
        message: `New size: ${to}; reason: ${reason}; error: ${why}`,
      });
      return afterRescale(decision, { ok: false, why, current: scale.specReplicas }, now);
    }
    tell(autoscaler, "Normal", { reason: "SuccessfulRescale", message: `New size: ${to}; reason: ${reason}` });
    remember(keyOf(autoscaler), to - scale.specReplicas, now);
    return afterRescale(decision, { ok: true }, now);
  };
  const remember = (key: string, change: number, at: number): void => {
    const memory = memories.get(key) ?? nothingRemembered;
    const recent = (changes: Memory["ups"]) => changes.filter((each) => each.at > at - longestPeriodMs);
    const ups = change > 0 ? [...recent(memory.ups), { change, at }] : recent(memory.ups);
    const downs = change < 0 ? [...recent(memory.downs), { change: -change, at }] : recent(memory.downs);
    memories.set(key, { ...memory, ups, downs });
  };
  const look = async (autoscaler: Autoscaler, signal: AbortSignal): Promise<AutoscalerStatus> => {
    const key = keyOf(autoscaler);
    const { namespace = "" } = autoscaler.metadata;
    const { served, scale } = await scaleOf(autoscaler, signal);
    const matching = podsOf(autoscaler, scale);
    const subject = { namespace, selector: scale.selector, served };
    const metrics = autoscaler.spec?.metrics ?? [];
    const readings = await Promise.all(metrics.map((metric) => readMetric(metric, subject, signal)));
    const memory = memories.get(key) ?? nothingRemembered;
    const options = { ...config, now: clock.now() };
    const decision = decide({ autoscaler, scale, pods: matching, readings, memory }, options);
    memories.set(key, { ...memory, recommendations: decision.recommendations });
    for (const failed of decision.failed ?? []) tell(autoscaler, "Warning", failed);
    return await rescale(autoscaler, decision, scale, signal);
  };

  return createReconciler(
    {
      name: "horizontal-pod-autoscaler-controller",
      queue: "horizontalpodautoscaler",
      workers: config.workers,
      follows: (owners) => [
        {
          informer: autoscalers,
          handlers: {
            added: (object) => owners.add(keyOf(object)),
            // Its own writes of the status are not to begin the next look.
            modified(object, before) {
              if (object.metadata.uid !== before.metadata.uid) forget(keyOf(before));
              if (object.metadata.generation !== before.metadata.generation) owners.add(keyOf(object));
            },
            deleted: (object) => forget(keyOf(object)),
          },
        },
        { informer: pods, handlers: {} },
      ],
      async sync(key, signal) {
        const autoscaler: Autoscaler | undefined = autoscalers.store.get(key);
        if (autoscaler === undefined) return "done";
        const status = await look(autoscaler, signal).catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error;
          tell(autoscaler, "Warning", error.event);
          return withProblem(autoscaler, error, clock.now());
        });
        if (!sameJson(status, autoscaler.status)) await writeStatus(client, kind, autoscaler, status, signal);
        return { againAfterMs: config.periodMs };
      },
    },
    tools,
  );
}
