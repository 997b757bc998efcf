import type { PolicySpec } from "@orch/api/kinds/admissionregistration/types.js";
import type { PolicySource } from "@orch/cel/admission/policy.js";
import type { TypeWarning } from "@orch/cel/admission/type-check.js";
import type { Client } from "@orch/client/http/http.js";
import { type ApiObject, pathOf } from "@orch/client/objects.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import { createWorkQueue } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";
import { policyWarnings } from "./policy-warnings.js";
import { createTypeSource } from "./type-source.js";

const name = "validatingadmissionpolicy-status-controller";
/** As the reference names who writes the status. */
const fieldManager = "validatingadmissionpolicy-status";

export interface PolicyStatusTools extends Omit<ControllerTools, "client"> {
  readonly client: Pick<Client, "list" | "raw">;
}

interface Policy extends ApiObject {
  readonly spec?: PolicySpec & PolicySource;
  readonly status?: { readonly observedGeneration?: number };
}

/** Says in the status of every ValidatingAdmissionPolicy what its expressions get wrong about the kinds that it names. */
export function createPolicyStatusController(tools: PolicyStatusTools): Controller {
  const { client, mirror, naming, clock, telemetry } = tools;
  const failed = failureTeller(tools, name);
  const collection = {
    ...{ group: naming.group("admissionregistration"), version: "v1" },
    resource: "validatingadmissionpolicies",
  };
  const typeOf = createTypeSource(client, naming);

  const warningsOf = async (spec: PolicySpec & PolicySource, signal: AbortSignal): Promise<readonly TypeWarning[]> => {
    const { all } = await tools.discovery.read(signal);
    return policyWarnings(spec, { served: all, dialect: naming.dialect, typeOf: (one) => typeOf(one, signal) });
  };

  const apply = async ({ metadata }: Policy, warnings: readonly TypeWarning[], signal: AbortSignal): Promise<void> => {
    const { name: of = "", uid, generation } = metadata;
    await client.raw({
      method: "PATCH",
      path: pathOf(collection, of, "status"),
      query: { fieldManager, force: true },
      headers: { "content-type": "application/apply-patch+yaml" },
      // With its uid a status does not get into the next policy of that name.
      body: JSON.stringify({
        apiVersion: `${collection.group}/${collection.version}`,
        kind: "ValidatingAdmissionPolicy",
        metadata: { name: of, uid },
        status: {
          observedGeneration: generation,
          typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
        },
      }),
      signal,
    });
  };

  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 1,
        work: async (of, working) => {
          const policy: Policy | undefined = policies.store.get(of);
          if (policy !== undefined && isNew(policy)) {
            await apply(policy, await warningsOf(policy.spec ?? {}, working), working);
          }
          return "done";
        },
        clock,
        observer: telemetry.queue("ValidatingAdmissionPolicyStatus"),
        onError: (error, policy) => failed(error, { policy }),
      });
      const look = (policy: Policy): void => {
        if (isNew(policy)) queue.add(policy.metadata.name ?? "");
      };
      const policies = mirror.view({
        ...{ collection, sees: "objects", keep: withoutManagers },
        handlers: { added: look, modified: look },
        onError: failed,
      });
      await Promise.all([policies.run(signal), queue.run(signal)]);
    },
  };
}

/** Whether a spec was not looked at yet. */
function isNew({ metadata, status }: Policy): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
}
