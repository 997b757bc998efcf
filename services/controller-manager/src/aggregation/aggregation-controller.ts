import { aggregatedRules, sameRules } from "@orch/api/kinds/rbac/aggregation.js";
import type { ClusterRole, PolicyRule } from "@orch/api/kinds/rbac/types.js";
import type { Client } from "@orch/client/http/http.js";
import { type ApiObject, pathOf } from "@orch/client/objects.js";
import { withoutManagers } from "@orch/client/without-managers.js";
import { createWorkQueue } from "@orch/client/work-queue.js";
import type { Controller } from "../controller.js";
import { type ControllerTools, failureTeller } from "../tools.js";

const name = "clusterrole-aggregation-controller";
/** Roles that are written at once. */
const workers = 5;

export interface AggregationTools extends Omit<ControllerTools, "client" | "discovery" | "informers"> {
  readonly client: Pick<Client, "raw">;
}

/** Keeps the rules of every ClusterRole that is made of others those of the others. */
export function createAggregationController(tools: AggregationTools): Controller {
  const { client, mirror, naming, clock, telemetry } = tools;
  const failed = failureTeller(tools, name);
  const clusterRoles = { group: naming.group("rbac.authorization"), version: "v1", resource: "clusterroles" };

  /** Takes the rules over, whoever has set them, and leaves the rest of the role alone. */
  const apply = async (role: ApiObject, rules: readonly PolicyRule[], signal: AbortSignal): Promise<void> => {
    const { name: of = "", uid } = role.metadata;
    const apiVersion = `${clusterRoles.group}/${clusterRoles.version}`;
    await client.raw({
      method: "PATCH",
      path: pathOf(clusterRoles, of),
      query: { fieldManager: name, force: true },
      headers: { "content-type": "application/apply-patch+yaml" },
      // With its uid a role that has gone meanwhile does not come back.
      body: JSON.stringify({ apiVersion, kind: "ClusterRole", metadata: { name: of, uid }, rules }),
      signal,
    });
  };

  return {
    async run(signal) {
      const queue = createWorkQueue<string>({
        workers,
        work: async (of, working) => {
          const role = roles.store.get(of);
          const rules = role === undefined ? undefined : newRules(role, roles.store.values());
          if (role !== undefined && rules !== undefined) await apply(role, rules, working);
          return "done";
        },
        clock,
        observer: telemetry.queue("ClusterRoleAggregator"),
        onError: (error, role) => failed(error, { role }),
      });
      const made = new Set<string>();
      /** Each that is made of others may have to do with any change of any role. */
      const changed = (role: ApiObject, isThere: boolean): void => {
        const { name: of = "" } = role.metadata;
        if (isThere && role["aggregationRule"] !== undefined) made.add(of);
        else made.delete(of);
        for (const one of made) queue.add(one);
      };
      const roles = mirror.view({
        collection: clusterRoles,
        sees: "objects",
        keep: withoutManagers,
        handlers: {
          added: (role) => changed(role, true),
          modified: (role) => changed(role, true),
          deleted: (role) => changed(role, false),
        },
        onError: failed,
      });
      const following = roles.run(signal);
      // A part of the roles would take rules away.
      await Promise.race([roles.synced, following]);
      await Promise.all([following, queue.run(signal)]);
    },
  };
}

/** Undefined where they are what they should be. */
function newRules(role: ClusterRole, roles: Iterable<ClusterRole>): readonly PolicyRule[] | undefined {
  const rules = aggregatedRules(role, roles);
  return rules === undefined || sameRules(rules, role.rules ?? []) ? undefined : rules;
}
