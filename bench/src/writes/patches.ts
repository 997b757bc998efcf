import { type Endpoint, httpRequest, once } from "../load/load.js";
import { podOf } from "../pod.js";
import { measureRequests, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { OrchTarget } from "../targets.js";

/** Objects that the changes go around. */
export const objects = 64;
const connections = 32;
const manager = "bench";

/** A way to change a Deployment. */
export interface Change {
  readonly operation: string;
  readonly method: "PUT" | "PATCH";
  readonly contentType: string;
  /** The body of the change number `i`. */
  readonly body: (i: number) => unknown;
}

/** Every way to change a Deployment of 2 KiB, by the CPU that each takes. The notes hold them to an update. */
export async function benchPatches(
  target: OrchTarget,
  { timing, note }: { readonly timing: Timing; readonly note: (row: Row) => Row },
): Promise<readonly string[]> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return [];
  await once(endpoint, { method: "POST", path: "/api/v1/namespaces", body: '{"metadata":{"name":"patches"}}' });
  const cpuOf = new Map<string, number>();
  for (const change of changes) {
    for (let i = 0; i < objects; i++) await once(endpoint, applied(i, change.operation));
    let sent = 0;
    const request = (to: Endpoint): Buffer => httpRequest(to, changing(change, sent++));
    const { operation } = change;
    const run = { operation, connections, request, success: (code: number) => code === 200, unit: "op/s" as const };
    const row = note(await measureRequests(target, run, { timing, floor: undefined }));
    cpuOf.set(
      operation,
      [...row.cpu.values()].reduce((sum, us) => sum + us, 0),
    );
  }
  const update = cpuOf.get("update of a Deployment") ?? Number.NaN;
  return [...cpuOf].map(
    ([operation, us]) => `${target.name}: ${operation} takes ${(us / update).toFixed(2)} times the CPU of an update`,
  );
}

const nameOf = (operation: string, i: number): string =>
  `${operation.toLowerCase().replaceAll(/\W+/g, "-")}-${i % objects}`;

const pathOf = (operation: string, i: number): string =>
  `/apis/apps/v1/namespaces/patches/deployments/${nameOf(operation, i)}?fieldManager=${manager}`;

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

/** The request that makes an object of those that changes go around. */
export function applied(i: number, operation: string): Sent {
  const body = JSON.stringify(named(deploymentOf(0), operation, i));
  return { method: "PATCH", path: pathOf(operation, i), contentType: applyType, body };
}

/** The request of the change number `i`. */
export function changing({ operation, method, contentType, body }: Change, i: number): Sent {
  return { method, path: pathOf(operation, i), contentType, body: JSON.stringify(named(body(i), operation, i)) };
}

const applyType = "application/apply-patch+yaml";

/** What is a whole object needs its name. */
function named(body: unknown, operation: string, i: number): unknown {
  const whole = typeof body === "object" && body !== null && "kind" in body;
  return whole ? { ...body, metadata: { name: nameOf(operation, i), labels: { app: "shop" } } } : body;
}

function deploymentOf(revision: number): object {
  const { spec }: { spec?: object } = podOf("");
  const env = { name: "REVISION", value: String(revision).padStart(8, "0") };
  const container = { name: "revision", image: "registry.example.com/shop/revision:1", env: [env] };
  const containers: unknown = Reflect.get(spec ?? {}, "containers");
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "shop" } },
      template: {
        metadata: { labels: { app: "shop" } },
        spec: { ...spec, containers: [...(Array.isArray(containers) ? containers.slice(0, 1) : []), container] },
      },
    },
  };
}

/** The revision of the `i`th change: another one each time that an object's turn comes. */
const turn = (i: number): number => 1 + Math.floor(i / objects);

export const changes: readonly Change[] = [
  {
    operation: "update of a Deployment",
    method: "PUT",
    contentType: "application/json",
    body: (i) => deploymentOf(turn(i)),
  },
  {
    operation: "merge patch of one field",
    method: "PATCH",
    contentType: "application/merge-patch+json",
    body: (i) => ({ metadata: { annotations: { turn: String(turn(i)).padStart(8, "0") } } }),
  },
  {
    operation: "strategic merge patch of one field",
    method: "PATCH",
    contentType: "application/strategic-merge-patch+json",
    body: (i) => ({
      spec: {
        template: {
          spec: {
            containers: [{ name: "revision", env: [{ name: "REVISION", value: String(turn(i)).padStart(8, "0") }] }],
          },
        },
      },
    }),
  },
  {
    operation: "apply that changes one field",
    method: "PATCH",
    contentType: applyType,
    body: (i) => deploymentOf(turn(i)),
  },
  { operation: "apply that changes nothing", method: "PATCH", contentType: applyType, body: () => deploymentOf(0) },
];
