import { type Binding, bindPod, validateBinding } from "@orch/api/binding.js";
import type { AnyObject } from "@orch/api/object.js";
import { writeOptions } from "@orch/render/write-options.js";
import type { WriteReply } from "@orch/rpc/messages.js";
import { badRequest, notFound } from "@orch/status/api-error.js";
import { readObject } from "./body.js";
import { changeObject } from "./change.js";
import { refuseInvalid } from "./refuse.js";
import { successReply } from "./reply.js";
import { admitPosted, unjudged } from "./review/admit-posted.js";
import { asItIs, inItsPlace } from "./surface.js";
import { warned } from "./warned.js";
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
  return warned(write, warnings, async () => {
    const name = request.name === "" ? (object.metadata.name ?? "") : request.name;
    await deps.namespaces.admitCreate(request.namespace, { resource: resourceOf(pods), name });
    const posted = { object: inItsPlace({ ...write, kind: binding }, object), dryRun: options.dryRun };
    const admitted = await admitPosted(write, posted, (asked) => {
      if (asked.metadata.name !== name) throw badRequest("name in URL does not match name in Binding object");
      refuseInvalid(binding, asked, validateBinding(asked));
    });
    // The binding was judged: what it makes of the pod is stored as it is.
    const podWrite: Write = { ...write, deps: unjudged(deps), kind: pods, requested: pods };
    await changeObject(podWrite, {
      ...{ name, options, surface: asItIs(pods) },
      begin: ({ old }) => ({ object: boundPod(old, admitted.object, contextOf(write).now), tracked: true }),
      missing: () => Promise.reject(notFound(resourceOf(pods), name)),
    });
    return successReply(podWrite, 201, admitted.warnings);
  });
}

function boundPod(pod: AnyObject, binding: Binding, now: string): AnyObject {
  const bound = bindPod(pod, binding, now);
  if ("error" in bound) throw bound.error;
  return { ...pod, ...bound.object };
}
