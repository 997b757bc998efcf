import assert from "node:assert/strict";
import { httpRequest, once } from "./load.js";
import { podOf } from "./pod.js";
import { type Floor, measureRequests, type Timing } from "./runs.js";
import type { Row } from "./table.js";
import type { Target } from "./targets.js";

const pods = 500;
const path = "/api/v1/namespaces/tables/pods";

interface Encoding {
  readonly operation: string;
  readonly accept: string;
  readonly query: string;
}

/** Lists of the same pods in several encodings, each with the plain JSON list of the same run as its floor. */
export async function benchEncodings(
  target: Target,
  options: { readonly timing: Timing; readonly connections: readonly number[]; readonly note: (row: Row) => Row },
): Promise<void> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  const { timing, connections, note } = options;
  const make = async (at: string, object: object): Promise<void> => {
    const { code } = await once(endpoint, { method: "POST", path: at, body: JSON.stringify(object) });
    assert.equal(code, 201, at);
  };
  await make("/api/v1/namespaces", { metadata: { name: "tables" } });
  // No controller makes it here, and a pod waits for it.
  await make("/api/v1/namespaces/tables/serviceaccounts", { metadata: { name: "default" } });
  for (let i = 0; i < pods; i++) await make(path, podOf(`p${i}`));
  const table = "application/json;as=Table;g=meta.orch;v=v1";
  const encodings: readonly Encoding[] = [
    { operation: `Table of ${pods} pods`, accept: table, query: "" },
    { operation: `Table of ${pods} whole pods`, accept: table, query: "?includeObject=Object" },
    { operation: `Protobuf list of ${pods} pods`, accept: "application/vnd.orch.protobuf", query: "" },
  ];
  for (const count of connections) {
    const measure = (encoding: Encoding, floor: Floor | undefined): Promise<Row> => {
      const { operation, accept, query } = encoding;
      const request = (e: typeof endpoint): Buffer => httpRequest(e, { method: "GET", path: path + query, accept });
      const success = (code: number): boolean => code === 200;
      return measureRequests(
        target,
        { operation, connections: count, request, success, unit: "op/s" },
        { timing, floor },
      );
    };
    const plain = { operation: `JSON list of ${pods} pods`, accept: "application/json", query: "" };
    const row = note(await measure(plain, undefined));
    const floor = { name: "the JSON list", value: row.perSecond };
    for (const encoding of encodings) note(await measure(encoding, floor));
  }
}
