import { compared } from "../compared.js";
import { type Endpoint, httpRequest, once } from "../load/load.js";
import { fill, measureRequests, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import { startStandalone, type TargetOptions, userTokens } from "../targets.js";

/** Namespaces with objects of 1 KiB in each, every second of which a user may see; one more has as many as those together. */
const [namespaces, objectsEach] = [200, 20];
const seen = (namespaces / 2) * objectsEach;
const group = "rbac.authorization.orch";
const base = `/apis/${group}/v1`;

export interface Permitted {
  readonly timing: Timing;
  readonly note: (row: Row) => Row;
  readonly target: TargetOptions;
}

/** What lists cost of what one may see, sorted, or of some fields, beside plain ones of as many objects. */
export async function benchPermitted({ timing, note, target: options }: Permitted): Promise<void> {
  const target = await startStandalone({ ...options, authorization: "RBAC" });
  try {
    const [admin] = target.endpoints;
    if (admin === undefined) return;
    const post = (path: string, body: object) => once(admin, { method: "POST", path, body: JSON.stringify(body) });
    const rules = [{ verbs: ["list", "watch"], apiGroups: [""], resources: ["configmaps"] }];
    await post(`${base}/clusterroles`, { metadata: { name: "maps" }, rules });
    await fill(target, "all", seen);
    const bind = (name: string, namespace: string) =>
      post(`${base}/namespaces/${namespace}/rolebindings`, {
        metadata: { name: "maps" },
        roleRef: { apiGroup: group, kind: "ClusterRole", name: "maps" },
        subjects: [{ apiGroup: group, kind: "User", name }],
      });
    await bind("heavy", "all");
    for (let i = 0; i < namespaces; i++) {
      const namespace = `n${String(i).padStart(3, "0")}`;
      await fill(target, namespace, objectsEach);
      if (i % 2 === 1) await bind("light", namespace);
    }
    // Neither is exempt from flow control, as an administrator is.
    const heavy = { ...admin, token: userTokens.heavy };
    const light = { ...admin, token: userTokens.light };
    const plain = "/api/v1/namespaces/all/configmaps?resourceVersion=0";
    const permitted = "/api/v1/configmaps?resourceVersion=0&scope=permitted";
    const both = (what: string, query: string, nonce?: () => number): readonly Case[] => [
      { operation: `plain list${what} of ${seen}`, endpoint: heavy, path: plain + query, nonce },
      { operation: `permitted list${what} of ${seen}`, endpoint: light, path: permitted + query, nonce },
    ];
    let asked = 0;
    const cases = [
      both("", ""),
      both(", page of 500,", "&limit=500"),
      both(", by a label,", "&labelSelector=app%3Dbench"),
      // Nothing of it is joined already.
      both(", each by another label,", "&labelSelector=app%21%3D", () => asked++),
      [
        ...both("", "").slice(0, 1),
        { operation: `sorted list of ${seen}`, endpoint: heavy, path: `${plain}&sort=-metadata.creationTimestamp` },
        { operation: `list of one field of ${seen}`, endpoint: heavy, path: `${plain}&fields=metadata.labels` },
        { operation: `sorted page of 100 of ${seen}`, endpoint: heavy, path: `${plain}&sort=metadata.uid&limit=100` },
      ],
    ];
    for (const some of cases) {
      for await (const row of compared(some, timing, (one, each) => measured(target, one, each))) note(row);
    }
  } finally {
    await target.stop();
  }
}

interface Case {
  readonly operation: string;
  readonly endpoint: Endpoint;
  readonly path: string;
  /** Makes each request another one, at its end. */
  readonly nonce?: (() => number) | undefined;
}

function measured(
  target: Parameters<typeof measureRequests>[0],
  { operation, endpoint, path, nonce }: Case,
  timing: Timing,
): Promise<Row> {
  const request = (): Buffer => httpRequest(endpoint, { method: "GET", path: `${path}${nonce?.() ?? ""}` });
  const success = (code: number): boolean => code === 200;
  const run = { operation, connections: 4, request, success, unit: "op/s" } as const;
  return measureRequests(target, run, { timing, floor: undefined });
}
