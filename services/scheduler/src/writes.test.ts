import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiObject, isRecord } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { podInfoOf } from "@orch/scheduling/model/pod-info.js";
import { createWrites } from "./writes.js";

const naming = createNaming("kubernetes");
const now = Date.parse("2026-01-02T00:00:00Z");
const earlier = "2026-01-01T00:00:00Z";

async function sinceWhen(conditions: readonly { readonly type: string; readonly status: string }[]) {
  const bodies: unknown[] = [];
  const unasked = (): Promise<never> => Promise.reject(new Error("nobody asks for that"));
  const client = {
    async patch(_collection: unknown, name: string, { body }: { readonly body: unknown }): Promise<ApiObject> {
      bodies.push(body);
      return { metadata: { name } };
    },
    ...{ raw: unasked, delete: unasked },
  };
  const pod = podInfoOf({
    metadata: { name: "p", namespace: "ns", uid: "u" },
    status: { conditions: conditions.map((each) => ({ ...each, lastTransitionTime: earlier })) },
  });
  const why = { reason: "Unschedulable", message: "no", nominatedNode: "" } as const;
  await createWrites({ client, naming, now: () => now }).refuse(pod, why, new AbortController().signal);
  return fieldOf(bodies[0], "status.conditions.0.lastTransitionTime");
}

function fieldOf(body: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, name) => (isRecord(value) ? value[name] : Array.isArray(value) ? value[Number(name)] : undefined),
      body,
    );
}

const rows: readonly (readonly [what: string, type: string, status: string, since: string])[] = [
  ["that was refused before is without a node since then", "PodScheduled", "False", earlier],
  ["that had a node", "PodScheduled", "True", "2026-01-02T00:00:00Z"],
  ["of which nothing is known", "Ready", "False", "2026-01-02T00:00:00Z"],
];
for (const [what, type, status, since] of rows) {
  test(`a pod that is refused, ${what}`, async () => assert.equal(await sinceWhen([{ type, status }]), since));
}
