import { compared } from "../compared.js";
import { httpRequest, sleep } from "../load/load.js";
import { configMap, measureRequests, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { Target } from "../targets.js";
import { create } from "./creates.js";

const group = "bench.example.com";
const fields = 50;

const ruled = [
  { rule: "self.spec.f0.size() < 20 && self.spec.f1.startsWith('x')" },
  { rule: "!has(self.spec.f2) || self.spec.f2 != 'wrong'" },
  { rule: "self.spec.count <= 5 && self.spec.count >= 0" },
  { rule: "self.spec.list.all(l, l.size() < 10)" },
  { rule: "self.metadata.name.matches('^[a-z0-9-]+$')" },
];

function schemaOf(rules: readonly object[]): object {
  const texts = Array.from({ length: fields - 2 }, (_, i) => [`f${i}`, { type: "string", maxLength: 40 }] as const);
  const list = { type: "array", maxItems: 10, items: { type: "string", maxLength: 20 } };
  const properties = { ...Object.fromEntries(texts), count: { type: "integer" }, list };
  return {
    type: "object",
    properties: { spec: { type: "object", required: ["f0", "f1"], properties } },
    ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
  };
}

const spec = {
  ...Object.fromEntries(Array.from({ length: fields - 2 }, (_, i) => [`f${i}`, `x${i}`.padEnd(12, "y")])),
  count: 3,
  list: ["a", "b", "c"],
};

export interface CustomWrites {
  readonly timing: Timing;
  readonly connections: readonly number[];
  /** `apiextensions.…`, of the dialect that the target speaks. */
  readonly definitions: string;
}

/** Creates of ConfigMaps, of custom objects with a schema of fifty fields, and of those with five rules more. */
export async function* benchCustomWrites(
  target: Target,
  { timing, connections, definitions }: CustomWrites,
): AsyncGenerator<Row> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  await create(endpoint, "/api/v1/namespaces", { metadata: { name: "custom" } });
  const kinds = [
    { plural: "plains", kind: "Plain", rules: [] },
    { plural: "ruleds", kind: "Ruled", rules: ruled },
  ];
  for (const { plural, kind, rules } of kinds) {
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schemaOf(rules) } };
    const names = { plural, kind };
    const definition = {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: "Namespaced", names, versions: [version] },
    };
    await create(endpoint, definitions, definition);
  }
  await sleep(1500);
  const made = new Map<string, number>();
  const creates: readonly Create[] = [
    { operation: "create ConfigMap", path: "/api/v1/namespaces/custom/configmaps", body: configMap },
    ...kinds.map(({ plural, kind, rules }) => ({
      operation: `create custom, ${fields} fields, ${rules.length} rules`,
      path: `/apis/${group}/v1/namespaces/custom/${plural}`,
      body: (name: string): string => JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata: { name }, spec }),
    })),
  ];
  for (const count of connections) {
    yield* compared(creates, timing, ({ operation, path, body }, each) => {
      const request = (e: typeof endpoint): Buffer => {
        const index = made.get(path) ?? 0;
        made.set(path, index + 1);
        return httpRequest(e, { method: "POST", path, body: body(`o${index}`) });
      };
      const success = (code: number): boolean => code === 201;
      const run = { operation, connections: count, request, success, unit: "op/s" } as const;
      return measureRequests(target, run, { timing: each, floor: undefined });
    });
  }
}

interface Create {
  readonly operation: string;
  readonly path: string;
  readonly body: (name: string) => string;
}
