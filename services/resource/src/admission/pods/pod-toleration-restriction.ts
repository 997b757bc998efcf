import { qosClass } from "@orch/api/kinds/core/pod/qos.js";
import type { Pod, Toleration } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { internalError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import type { Mirror } from "../../mirror.js";
import type { Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { requireNamespace } from "../namespace-of.js";
import { refused } from "../refused.js";
import { covers, mergeTolerations } from "../runtime-class/merge-tolerations.js";
import { isPod } from "./is-pod.js";
import { type PodTolerationConfiguration, tolerationsOf } from "./toleration-configuration.js";

/** Annotations of a namespace say what its pods tolerate unasked, and what they may tolerate at all. */
export function podTolerationRestriction(
  naming: Naming,
  namespaces: Mirror,
  configuration: PodTolerationConfiguration,
): AdmissionPlugin {
  const annotation = (name: string): string => `scheduler.alpha.${naming.key(name)}`;
  const memoryPressure: Toleration = {
    ...{ key: `node.${naming.key("memory-pressure")}`, operator: "Exists", effect: "NoSchedule" },
  };
  /** Undefined where the namespace does not say. */
  const listOf = async (write: Write, name: string): Promise<readonly Toleration[] | undefined> => {
    const { metadata } = await requireNamespace(write, namespaces);
    return parsed(metadata.annotations?.[annotation(name)]);
  };
  const check = async (write: Write, object: AnyObject): Promise<void> => {
    const { spec }: Pod = object;
    const given = spec?.tolerations ?? [];
    if (given.length === 0) return;
    const own = await listOf(write, "tolerationsWhitelist");
    const allowed = own ?? configuration.allowed;
    if (allowed.length === 0 || given.every((one) => allowed.some((wide) => covers(wide, one)))) return;
    const whose = own === undefined ? "cluster" : "namespace";
    const why = `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${whose} whitelist`;
    throw refused(write, object, why);
  };
  const tolerating = async (write: Write, object: AnyObject, usual: readonly Toleration[]): Promise<AnyObject> => {
    const { spec = {} }: Pod = object;
    const more = qosClass(spec) === "BestEffort" ? usual : [...usual, memoryPressure];
    const tolerations = more.length === 0 ? spec.tolerations : mergeTolerations(spec.tolerations ?? [], more);
    const changed =
      tolerations === undefined || tolerations.length === 0 ? object : { ...object, spec: { ...spec, tolerations } };
    await check(write, changed);
    return changed;
  };
  return {
    name: "PodTolerationRestriction",
    handles: isPod,
    mutateCreate: async (write, object) =>
      tolerating(write, object, (await listOf(write, "defaultTolerations")) ?? configuration.default),
    mutateUpdate: (write, object) => tolerating(write, object, []),
    validate: ({ write, object }) => check(write, object),
  };
}

/** @throws ApiError InternalError for a text that is no list of tolerations */
function parsed(text: string | undefined): readonly Toleration[] | undefined {
  if (text === undefined || text === "") return text === undefined ? undefined : [];
  let list: unknown;
  try {
    list = readJson(text);
  } catch (error) {
    throw internalError(messageOf(error));
  }
  const tolerations = tolerationsOf(list);
  if (tolerations === undefined) throw internalError("an annotation of the namespace is no list of tolerations");
  return tolerations;
}
