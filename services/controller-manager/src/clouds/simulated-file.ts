import { configuration } from "@orch/component-config/configuration.js";
import { readConfigurations } from "@orch/component-config/read-configurations.js";
import { member, repeats, unless } from "@orch/component-config/rules.js";
import { kind, list, map, struct, text, texts, type ValueOf } from "@orch/component-config/shape.js";
import type { Naming } from "@orch/naming/naming.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

const states = ["Running", "ShutDown", "Gone"] as const;

const address = struct("NodeAddress", { type: text("InternalIP"), address: text() });
const instance = struct("SimulatedInstance", {
  /** Of the node. */
  name: text(),
  state: text("Running"),
  type: text(),
  zone: text(),
  addresses: list(address),
  labels: map(text()),
});
const shape = kind("SimulatedCloudConfiguration", {
  region: text("simulated-1"),
  zones: texts(["simulated-1a"]),
  instances: list(instance),
});

/** What a simulated cloud says of its machines. */
export type SimulatedMachines = ValueOf<typeof shape>;
export type InstanceEntry = ValueOf<typeof instance>;

const simulatedCloud = (naming: Naming) =>
  configuration<SimulatedMachines>(
    {
      kind: "SimulatedCloudConfiguration",
      group: "simulatedcloud.config",
      versions: [{ version: "v1" }],
      shape,
      check,
    },
    naming,
  );

function check({ region, zones, instances }: SimulatedMachines): readonly FieldError[] {
  const repeated = repeats(instances.map(({ name }) => name));
  return [
    ...unless(region !== "", () => fieldError.required("region", "")),
    ...zones.flatMap((zone, i) => unless(zone !== "", () => fieldError.required(`zones[${i}]`, ""))),
    ...instances.flatMap(({ name, state, addresses }, i) => [
      ...unless(name !== "", () => fieldError.required(`instances[${i}].name`, "")),
      ...unless(repeated[i] !== true, () => fieldError.duplicate(`instances[${i}].name`, name)),
      ...member(`instances[${i}].state`, state, states),
      ...addresses.flatMap((each, j) =>
        unless(each.address !== "", () => fieldError.required(`instances[${i}].addresses[${j}].address`, "")),
      ),
    ]),
  ];
}

export type ReadMachines =
  | { readonly ok: true; readonly machines: SimulatedMachines }
  | { readonly ok: false; readonly problem: string };

/** Of a file's text; nothing is what a cloud without a file says. */
export function readMachines(file: string | undefined, naming: Naming): ReadMachines {
  const kind = simulatedCloud(naming);
  if (file === undefined) return { ok: true, machines: kind.defaults() };
  const read = readConfigurations(file, [kind]);
  if (!read.ok) return { ok: false, problem: read.problems.join("; ") };
  return { ok: true, machines: read.documents.map(kind.from)[0] ?? kind.defaults() };
}
