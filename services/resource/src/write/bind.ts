import { type Binding, bindPod, validateBinding } from "@orch/api/binding.js";
import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, notFound } from "@orch/status/api-error.js";
import { readObject } from "./body.js";
import { changeObject } from "./change.js";
import { refuseInvalid } from "./refuse.js";
import { successReply } from "./stored.js";
import type { Surface } from "./surface.js";
import { builtIn, contextOf, resourceOf, type Write } from "./write.js";

/**
 * Gives a pod the node that a Binding names: a POST to `pods/<name>/binding`, or to `bindings`
 * (rules: Sub-resources). Answers a Status.
 */
export async function bind(write: Write): Promise<WriteReply> {
  const { deps, request } = write;
  const binding = builtIn(write, "v1", "Binding");
  const pods = builtIn(write, "v1", "Pod");
  const options = writeOptions(request.options, { metaGroup: deps.naming.metaGroup, kind: "CreateOptions" });
  const { object, warnings } = readObject(write, binding, options.fieldValidation);
  const name = request.name === "" ? (object.metadata.name ?? "") : request.name;
  if (object.metadata.name !== name) throw badRequest("name in URL does not match name in Binding object");
  refuseInvalid(binding, object, validateBinding(object));
  const podWrite: Write = { ...write, kind: pods, requested: pods };
  await changeObject(podWrite, {
    ...{ name, options, surface: asStored(pods) },
    begin: ({ old }) => ({ object: boundPod(old, object, contextOf(write).now), tracked: true }),
    missing: () => Promise.reject(notFound(resourceOf(pods), name)),
  });
  return successReply(podWrite, 201, warnings);
}

/** A binding has been judged itself: what it makes of a pod is stored as it is. */
function asStored(kind: Kind): Surface {
  return {
    kind,
    show: (stored) => stored,
    toHub: (object) => object,
    prepare: (object) => object,
    validate: () => [],
    warnings: () => [],
  };
}

function boundPod(pod: AnyObject, binding: Binding, now: string): AnyObject {
  const bound = bindPod(pod, binding, now);
  if ("error" in bound) throw bound.error;
  return { ...pod, ...bound.object };
}
