import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import type { AnyObject } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { internalError } from "@orch/status/api-error.js";
import type { Mirror } from "../../mirror.js";
import type { Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { requireNamespace } from "../namespace-of.js";
import { refused } from "../refused.js";
import { isPod } from "./is-pod.js";
import type { PodNodeSelectorConfiguration } from "./node-selector-configuration.js";
import { conflicts, isWithin, parseNodeSelector } from "./node-selector-text.js";

type Labels = Readonly<Record<string, string>>;

/** The pods of a namespace run on the nodes that an annotation of the namespace names. */
export function podNodeSelector(
  naming: Naming,
  namespaces: Mirror,
  configuration: PodNodeSelectorConfiguration,
): AdmissionPlugin {
  const annotation = `scheduler.alpha.${naming.key("node-selector")}`;
  const selectorOf = async (write: Write): Promise<Labels> => {
    const { metadata } = await requireNamespace(write, namespaces);
    return read(metadata.annotations?.[annotation] ?? configuration.clusterDefault);
  };
  const check = (write: Write, object: AnyObject, selector: Labels): void => {
    const own = nodeSelectorOf(object);
    if (conflicts(selector, own)) {
      throw refused(write, object, "pod node label selector conflicts with its namespace node label selector");
    }
    const { namespace } = write.request;
    const text = Object.hasOwn(configuration.allowed, namespace) ? configuration.allowed[namespace] : undefined;
    const allowed = read(text ?? "");
    if (Object.keys(allowed).length > 0 && !isWithin(own, allowed)) {
      throw refused(write, object, "pod node label selector labels conflict with its namespace whitelist");
    }
  };
  return {
    name: "PodNodeSelector",
    handles: isPod,
    async mutateCreate(write, object) {
      const selector = await selectorOf(write);
      const { spec = {} }: Pod = object;
      if (conflicts(selector, nodeSelectorOf(object))) check(write, object, selector);
      const nodeSelector = { ...selector, ...nodeSelectorOf(object) };
      const placed = Object.keys(nodeSelector).length === 0 ? object : { ...object, spec: { ...spec, nodeSelector } };
      check(write, placed, selector);
      return placed;
    },
    async validateCreate({ write, object }) {
      check(write, object, await selectorOf(write));
    },
  };
}

function nodeSelectorOf(object: AnyObject): Labels {
  const { spec }: Pod = object;
  return spec?.nodeSelector ?? {};
}

/** @throws ApiError InternalError for a text of the namespace, or of the configuration, that is no selector */
function read(text: string): Labels {
  const labels = parseNodeSelector(text);
  if (typeof labels === "string") throw internalError(labels);
  return labels;
}
