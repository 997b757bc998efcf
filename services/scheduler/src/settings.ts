import type { Parsed } from "@orch/auth/parsed.js";
import type { Naming } from "@orch/naming/naming.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import { messageOf } from "@orch/status/message-of.js";
import { readScheduler } from "./configuration-file.js";
import { extendersProblem } from "./extenders/call.js";
import { loadPlugins, profileProblem } from "./plugins.js";
import type { OwnSettings } from "./service.js";

export interface SettingsParts {
  /** Path of an OrchSchedulerConfiguration; "" for the default one. */
  readonly file: string;
  /** Paths of plugins that users wrote. */
  readonly plugins: readonly string[];
  readonly naming: Naming;
  /** A file's text; its error says why there is none. */
  readonly read: (path: string) => string;
  /** Tells this process from the others that may lead. */
  readonly identity: string;
  /** There may be others: one is chosen, as the file says, unless it says that none is. */
  readonly elects: boolean;
  /** The gate DynamicResourceAllocation is on. */
  readonly hasDevices: boolean;
}

/** A scheduler inside of another service: all that it is told is its file. */
export async function schedulerSettings(parts: SettingsParts): Promise<Parsed<OwnSettings>> {
  const { file, naming, read, identity, elects, hasDevices } = parts;
  const text = file === "" ? { ok: true as const, texts: [] } : textOf(file, read);
  if (!text.ok) return { ok: false, problems: [`--scheduler-config: ${text.problem}`] };
  const parsed = readScheduler(text.texts, naming, { dynamicResources: hasDevices });
  if (!parsed.ok) return { ok: false, problems: parsed.problems.map((each) => `--scheduler-config: ${file}: ${each}`) };
  const { config } = parsed;
  const loaded = await loadPlugins(parts.plugins);
  if (!loaded.ok) return { ok: false, problems: [loaded.problem] };
  const plugins = { registry: loaded.registry, permits: loaded.permits };
  const problem =
    profileProblem(config, naming, { more: plugins.registry, hasDevices }) ?? extendersProblem(config.extenders);
  if (problem !== undefined) return { ok: false, problems: [`--scheduler-config: ${problem}`] };
  const { leaderElect, resourceNamespace, resourceName, ...times } = config.leaderElection;
  if (!elects || leaderElect === false)
    return { ok: true, value: { config, plugins, hasDevices, election: undefined } };
  const election = {
    ...{ identity, namespace: resourceNamespace, name: resourceName },
    leaseDurationMs: durationMs(times.leaseDuration) ?? 15_000,
    renewDeadlineMs: durationMs(times.renewDeadline) ?? 10_000,
    retryPeriodMs: durationMs(times.retryPeriod) ?? 2_000,
  };
  return { ok: true, value: { config, plugins, hasDevices, election } };
}

function textOf(file: string, read: SettingsParts["read"]) {
  try {
    return { ok: true as const, texts: [read(file)] };
  } catch (error) {
    return { ok: false as const, problem: messageOf(error) };
  }
}
