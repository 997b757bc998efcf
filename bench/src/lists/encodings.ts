import { compared } from "../compared.js";
import { httpRequest, once } from "../load/load.js";
import { podOf } from "../pod.js";
import { configMap, type Filling, fill, measureRequests, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { Target } from "../targets.js";
import { firstLists } from "./first-lists.js";
import { listForms } from "./list-forms.js";

const objects = 500;
/** Lists that nobody has asked for before; those of the first namespaces warm up. */
const namespaces = { warmup: 16, measured: 32 };

const kinds: readonly (Filling & { readonly name: string })[] = [
  { name: "ConfigMaps", pathIn: (of) => `/api/v1/namespaces/${of}/configmaps`, body: configMap },
  { name: "pods", pathIn: (of) => `/api/v1/namespaces/${of}/pods`, body: (name) => JSON.stringify(podOf(name)) },
];

/** Feature gates without which not all forms are served. */
export const encodingFlags: readonly string[] = ["--feature-gates=CBORServingAndStorage=true"];

/** Lists of the same objects in several forms, by their CPU time beside the plain JSON list's: first, and asked for again. */
export async function benchEncodings(
  target: Target,
  options: { readonly timing: Timing; readonly connections: readonly number[]; readonly note: (row: Row) => Row },
): Promise<void> {
  const { timing, connections, note } = options;
  for (const kind of kinds) {
    const all = Array.from({ length: namespaces.warmup + namespaces.measured }, (_, i) => `lists-${i}`);
    for (const namespace of all) {
      await prepare(target, namespace);
      await fill(target, namespace, objects, kind);
    }
    const paths = all.map(kind.pathIn);
    const first = { what: `${objects} ${kind.name}`, forms: listForms, paths, warmup: namespaces.warmup };
    for (const row of await firstLists(target, first)) note(row);
    for (const count of connections) {
      const rows = compared(listForms, timing, ({ name, accept, query = "" }, each) => {
        const run = {
          operation: `list of ${objects} ${kind.name} as ${name}`,
          connections: count,
          request: (e: Parameters<typeof httpRequest>[0]): Buffer =>
            httpRequest(e, { method: "GET", path: paths[0] + query, accept }),
          success: (code: number): boolean => code === 200,
          unit: "op/s",
        } as const;
        return measureRequests(target, run, { timing: each, floor: undefined });
      });
      for await (const row of rows) note(row);
    }
  }
}

/** The account that pods wait for, which no controller makes here. */
async function prepare({ endpoints: [endpoint] }: Target, namespace: string): Promise<void> {
  if (endpoint === undefined) return;
  const make = (path: string, name: string) =>
    once(endpoint, { method: "POST", path, body: JSON.stringify({ metadata: { name } }) });
  await make("/api/v1/namespaces", namespace);
  await make(`/api/v1/namespaces/${namespace}/serviceaccounts`, "default");
}
