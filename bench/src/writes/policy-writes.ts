import { once, sleep } from "../load/load.js";
import { configMap, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { Target } from "../targets.js";
import { create, measuringCreates } from "./creates.js";

const expressions = [
  "object.data.size() < 20 && object.metadata.name.startsWith('o')",
  "!has(object.immutable) || object.immutable == false",
  "object.data.all(k, object.data[k].size() < 100000)",
  "object.metadata.name.matches('^[a-z0-9-]+$')",
  "request.operation == 'CREATE' && request.userInfo.username != ''",
];
const many = 1000;

export interface PolicyWrites {
  readonly timing: Timing;
  readonly connections: readonly number[];
  /** `/apis/admissionregistration.…/v1`, of the dialect that the target speaks. */
  readonly root: string;
}

/** Creates of ConfigMaps with no admission policy, with one of five expressions, and with 1,000 of which two are about them. */
export async function* benchPolicyWrites(
  target: Target,
  { timing, connections, root }: PolicyWrites,
): AsyncGenerator<Row> {
  const [endpoint] = target.endpoints;
  if (endpoint === undefined) return;
  const bind = async (name: string, resource: string): Promise<void> => {
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource] };
    const validations = expressions.map((expression) => ({ expression }));
    const spec = { matchConstraints: { resourceRules: [rule] }, validations };
    await create(endpoint, `${root}/validatingadmissionpolicies`, { metadata: { name }, spec });
    const bound = { policyName: name, validationActions: ["Deny"] };
    await create(endpoint, `${root}/validatingadmissionpolicybindings`, { metadata: { name }, spec: bound });
  };
  await create(endpoint, "/api/v1/namespaces", { metadata: { name: "policies" } });
  const creates = measuringCreates(target, timing);
  const path = "/api/v1/namespaces/policies/configmaps";
  const measure = (operation: string, count: number, floor?: Row): Promise<Row> =>
    creates({ operation, connections: count, path, body: configMap }, floor);
  const floors: Row[] = [];
  for (const count of connections) {
    const floor = await measure("create ConfigMap, no policy", count);
    floors.push(floor);
    yield floor;
  }
  await bind("bench-0", "configmaps");
  await sleep(1500);
  for (const [i, count] of connections.entries()) yield await measure("create ConfigMap, 1 policy", count, floors[i]);
  for (let i = 1; i < many; i++) await bind(`bench-${i}`, i === 1 ? "configmaps" : "pods");
  await sleep(1500);
  for (const [i, count] of connections.entries()) {
    yield await measure(`create ConfigMap, ${many} policies, 2 about it`, count, floors[i]);
  }
  for (let i = 0; i < many; i++) {
    for (const kind of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"]) {
      await once(endpoint, { method: "DELETE", path: `${root}/${kind}/bench-${i}` });
    }
  }
}
