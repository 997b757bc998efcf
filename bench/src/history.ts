import { encodeRecord } from "@orch/history/record.js";
import { httpRequest, once } from "./load/load.js";
import { configMap, fill, measureRequests, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import { startStandalone, type Target, type TargetOptions } from "./targets.js";

export interface HistoryBench {
  readonly timing: Timing;
  readonly note: (row: Row) => void;
  readonly options: TargetOptions;
}

const connections = 32;
/** Two servers take turns: on a machine that others use too, a figure means something beside its neighbour alone. */
const rounds = 7;
/** Creates before anything is measured: until then much of a write's time is the compiler's. */
const warmUp = 20_000;
const path = "/api/v1/namespaces/default/configmaps";
const middle = (some: readonly number[]): number => [...some].sort((a, b) => a - b)[some.length >> 1] ?? Number.NaN;
const cpuOf = ({ cpu }: Row): number => [...cpu.values()].reduce((sum, one) => sum + one, 0);

/** What keeping objects' past costs a create and a patch, in CPU time, and how many bytes it keeps of them. */
export async function benchHistory({ timing, note, options }: HistoryBench): Promise<readonly string[]> {
  const quiet = { ...options, controllers: false };
  const [off, on] = [
    await startStandalone({ ...quiet, flags: ["--object-history=off"] }),
    await startStandalone({ ...quiet, flags: ["--object-history=on"] }),
  ];
  try {
    for (const server of [off, on]) {
      const [endpoint] = server.endpoints;
      if (endpoint === undefined) throw new Error("nowhere to ask");
      for (let i = 0; i < objects; i++) await once(endpoint, { method: "POST", path, body: configMap(`p${i}`) });
      await fill(server, "warm", warmUp);
    }
    const notes: string[] = [];
    for (const verb of ["create", "patch"] as const) {
      const pairs: { readonly off: number; readonly on: number }[] = [];
      for (let round = 0; round < rounds; round++) {
        const without = () => measure(off, verb, { timing, name: "history off" });
        const kept = () => measure(on, verb, { timing, name: "history on" });
        const rows =
          round % 2 === 0 ? { off: await without(), on: await kept() } : { on: await kept(), off: await without() };
        if (round === rounds - 1) for (const row of [rows.off, rows.on]) note(row);
        pairs.push({ off: cpuOf(rows.off), on: cpuOf(rows.on) });
      }
      const before = middle(pairs.map((pair) => pair.off));
      const more = middle(pairs.map((pair) => pair.on / pair.off - 1));
      notes.push(
        `history: a ${verb} costs ${before.toFixed(1)} µs of CPU without, ${(more * 100).toFixed(1)} % more with (medians of ${rounds} pairs)`,
      );
    }
    return [...notes, bytesNote()];
  } finally {
    await Promise.all([off.stop(), on.stop()]);
  }
}

let made = 0;
const objects = 100;

async function measure(
  target: Target,
  verb: "create" | "patch",
  { timing, name }: { readonly timing: Timing; readonly name: string },
): Promise<Row> {
  return measureRequests(
    target,
    {
      operation: `${verb} ConfigMap, ${name}`,
      connections,
      request: (e) => {
        made++;
        if (verb === "create") return httpRequest(e, { method: "POST", path, body: configMap(`a${made}`) });
        const body = JSON.stringify({ data: { changed: `${made}` } });
        const contentType = "application/merge-patch+json";
        return httpRequest(e, { method: "PATCH", path: `${path}/p${made % objects}`, body, contentType });
      },
      success: (code) => code === (verb === "create" ? 201 : 200),
      unit: "op/s",
    },
    { timing, floor: undefined },
  );
}

/** Of a state of 1 KiB, by somebody with names as long as kubectl's. */
function bytesNote(): string {
  const author = {
    ...{ time: 1_800_000_000_000, verb: "patch", subresource: "", user: "system:serviceaccount:shop:deployer" },
    ...{ manager: "kubectl-client-side-apply", auditId: "0e0f3c5a-1f0a-4a6a-9a51-2b1d9f0c9c11" },
    userAgent: "kubectl/v1.32.4 (linux/amd64) kubernetes/4cb5f07",
  };
  const state = (value: string): Buffer => Buffer.from(`${configMap("a")}${"x".repeat(700)}${value}${"y".repeat(300)}`);
  const before = { value: state("one"), revision: 1_000_000 };
  const sizes = [
    ["create", { before: undefined, after: before.value }],
    ["change of one field", { before, after: state("another") }],
    ["deletion", { before, after: undefined }],
  ] as const;
  const told = sizes.map(([what, change]) => `${encodeRecord(author, change).length} of a ${what}`);
  return `history: bytes of a record, of an object of ${before.value.length} bytes: ${told.join(", ")}`;
}
