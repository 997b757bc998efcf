import type { FlowSchema } from "@orch/api/kinds/flowcontrol/types.js";
import type { Condition } from "@orch/api/kinds/shared/conditions.js";
import type { Client } from "@orch/client/http/http.js";
import type { Handlers } from "@orch/client/object-store.js";
import { type ApiObject, pathOf } from "@orch/client/objects.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import { createWorkQueue } from "@orch/client/work-queue.js";
import { wireTime } from "@orch/status/wire-time.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";

const name = "flowschema-status-controller";
const type = "Dangling";
/** As the reference names who writes the condition. */
const fieldManager = "api-priority-and-fairness-config-consumer-v1";

export interface FlowSchemaTools extends Omit<ControllerTools, "client" | "discovery"> {
  readonly client: Pick<Client, "raw">;
}

/** Says in the status of every FlowSchema whether the priority level that it names is there (`Dangling`). */
export function createFlowSchemaStatusController(tools: FlowSchemaTools): Controller {
  const { client, mirror, naming, clock, telemetry } = tools;
  const failed = failureTeller(tools, name);
  const group = naming.group("flowcontrol.apiserver");
  const version = "v1";
  const follow = (resource: string, handlers: Handlers) =>
    mirror.view({
      collection: { group, version, resource },
      sees: "objects",
      keep: withoutManagers,
      handlers,
      onError: failed,
    });

  /** Takes the condition over, whoever has set it, and leaves others alone. */
  const apply = async ({ metadata }: ApiObject, condition: Condition, signal: AbortSignal): Promise<void> => {
    const { name: of = "", uid } = metadata;
    await client.raw({
      method: "PATCH",
      path: pathOf({ group, version, resource: "flowschemas" }, of, "status"),
      query: { fieldManager, force: true },
      headers: { "content-type": "application/apply-patch+yaml" },
      // With its uid a condition does not get into the next schema of that name.
      body: JSON.stringify({
        apiVersion: `${group}/${version}`,
        kind: "FlowSchema",
        metadata: { name: of, uid },
        status: { conditions: [{ ...condition, lastTransitionTime: wireTime(clock.now()) }] },
      }),
      signal,
    });
  };

  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers: 1,
        work: async (of, working) => {
          const schema = schemas.store.get(of);
          const condition = schema === undefined ? undefined : newCondition(schema, new Set(levels.store.keys()));
          if (schema !== undefined && condition !== undefined) await apply(schema, condition, working);
          return "done";
        },
        clock,
        observer: telemetry.queue("FlowSchemaStatus"),
        onError: (error, schema) => failed(error, { schema }),
      });
      const look = ({ metadata }: ApiObject): void => queue.add(metadata.name ?? "");
      const lookAtThoseOf = ({ metadata }: ApiObject): void => {
        for (const schema of schemas.store.values()) if (levelOf(schema) === metadata.name) look(schema);
      };
      const schemas = follow("flowschemas", { added: look, modified: look });
      const levels = follow("prioritylevelconfigurations", { added: lookAtThoseOf, deleted: lookAtThoseOf });
      const following = [schemas.run(signal), levels.run(signal)];
      // A level that was not read yet would be missed.
      await Promise.race([Promise.all([schemas.synced, levels.synced]), ...following]);
      await Promise.all([...following, queue.run(signal)]);
    },
  };
}

/** Undefined where the schema says it already. */
export function newCondition(schema: FlowSchema, levels: ReadonlySet<string>): Condition | undefined {
  const wanted = conditionOf(levelOf(schema), levels);
  const said = schema.status?.conditions?.find((condition) => condition.type === type);
  const same = said?.status === wanted.status && said.reason === wanted.reason && said.message === wanted.message;
  return same ? undefined : wanted;
}

function conditionOf(level: string, levels: ReadonlySet<string>) {
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return levels.has(level)
    ? { type, status: "False", reason: "Found", message: `${named} and it exists` }
    : { type, status: "True", reason: "NotFound", message: `${named} but there is no such object` };
}

function levelOf({ spec }: FlowSchema): string {
  return spec?.priorityLevelConfiguration?.name ?? "";
}
