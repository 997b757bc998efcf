import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import type { FlagValues } from "@orch/runtime/flags/flags.js";
import { parseQuantity } from "@orch/schema/formats/quantity.js";
import { messageOf } from "@orch/status/message-of.js";
import type { simulationFlags } from "./flags.js";
import type { SimulatorConfig } from "./simulator.js";
import { usualStages } from "./stages/stage.js";
import { readStages } from "./stages/stages-file.js";

export interface SettingsParts {
  readonly naming: Naming;
  readonly nodes: number;
  /** Of the one node that is played; empty: `nodes` of them. */
  readonly name?: string;
  /** What nodes say that their agents are: `v1.32.0`. */
  readonly version: string;
  /** A file's text; its error says why there is none. */
  readonly read: (path: string) => string;
}

/** What the flags say, with the file that they name read. */
export function simulatorSettings(
  values: FlagValues<typeof simulationFlags>,
  { naming, nodes, name = "", version, read }: SettingsParts,
): Parsed<SimulatorConfig> {
  const quantities = ["node-cpu", "node-memory", "node-ephemeral-storage"] as const;
  const problems = quantities.flatMap((flag) =>
    typeof parseQuantity(values[flag]) === "string"
      ? [`--${flag}: ${JSON.stringify(values[flag])} is no quantity`]
      : [],
  );
  const usual = usualStages(values["pod-start-delay"]);
  const given = stagesOf(values["pod-stages"], { naming, read });
  if (!given.ok) problems.push(`--pod-stages: ${given.problem}`);
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: {
      nodes: {
        count: nodes,
        prefix: values["node-prefix"],
        only: name === "" ? undefined : name,
        shape: {
          ...{ cpu: values["node-cpu"], memory: values["node-memory"], pods: values["node-pods"], version },
          ephemeralStorage: values["node-ephemeral-storage"],
          ...{ zones: values["node-zones"], region: values["node-region"] },
        },
        leaseMs: values["node-lease-period"],
        statusMs: values["node-status-period"],
        crashed: values["crash-nodes"],
      },
      agent:
        values["agent-address"] === ""
          ? undefined
          : {
              address: values["agent-address"],
              port: values["agent-port"],
              certFile: values["agent-cert-file"],
              keyFile: values["agent-key-file"],
              clientCaFile: values["agent-client-ca-file"],
            },
      pods: { stages: [...(given.ok ? given.stages : []), ...usual], longestGraceMs: values["pod-grace"] },
    },
  };
}

function stagesOf(
  path: string,
  { naming, read }: Pick<SettingsParts, "naming" | "read">,
): ReturnType<typeof readStages> {
  if (path === "") return { ok: true, stages: [] };
  try {
    return readStages(read(path), naming);
  } catch (error) {
    return { ok: false, problem: messageOf(error) };
  }
}
