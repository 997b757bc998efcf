import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { SchedulerConfiguration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Plugin } from "@orch/scheduling/framework/plugin.js";
import { type Factory, ProfileError, type Registry } from "@orch/scheduling/framework/profile.js";
import { createScheduling } from "@orch/scheduling/scheduling.js";
import { messageOf } from "@orch/status/message-of.js";
import { createPermitBoard, type PermitBoard, type WaitingPods } from "./waiting-pods.js";

/** What a file of `--plugin` exports as `plugins`, a list of these. */
export interface PluginModule {
  readonly name: string;
  /** `args`: what the profile's `pluginConfig` has for it, not looked at; undefined where it has nothing. */
  readonly create: (args: unknown, handle: PluginHandle) => Plugin;
}

/** What a plugin may do besides answering. */
export interface PluginHandle {
  /** Pods that plugins make wait at permit. */
  readonly waitingPods: WaitingPods;
}

/** Plugins that users wrote, and the pods that they may make wait. */
export interface OwnPlugins {
  readonly registry: Registry;
  readonly permits: PermitBoard;
}

export type LoadedPlugins = ({ readonly ok: true } & OwnPlugins) | { readonly ok: false; readonly problem: string };

/** Loads plugins that users wrote. Their code runs in this process, with its rights. */
export async function loadPlugins(files: readonly string[]): Promise<LoadedPlugins> {
  const registry = new Map<string, Factory>();
  const permits = createPermitBoard();
  const handle = { waitingPods: permits };
  for (const file of files) {
    const refuse = (why: string): LoadedPlugins => ({ ok: false, problem: `--plugin: ${file}: ${why}` });
    try {
      const module: { readonly plugins?: unknown } = await import(pathToFileURL(resolve(file)).href);
      const { plugins } = module;
      if (!Array.isArray(plugins) || !plugins.every(isPlugin)) {
        return refuse("must export `plugins`, a list of objects with `name` and `create`");
      }
      for (const { name, create } of plugins) {
        if (registry.has(name)) return refuse(`plugin ${JSON.stringify(name)} is there already`);
        registry.set(name, ({ pluginConfig }) => create(pluginConfig.find((each) => each.name === name)?.args, handle));
      }
    } catch (error) {
      return refuse(messageOf(error));
    }
  }
  return { ok: true, registry, permits };
}

function isPlugin(value: unknown): value is PluginModule {
  if (typeof value !== "object" || value === null || !("name" in value) || !("create" in value)) return false;
  return typeof value.name === "string" && value.name !== "" && typeof value.create === "function";
}

/** Why no scheduler can be made of a configuration; undefined where one can. */
export function profileProblem(
  config: SchedulerConfiguration,
  naming: Naming,
  { more, hasDevices }: { readonly more: Registry; readonly hasDevices: boolean },
): string | undefined {
  const nothing = (): Promise<undefined> => Promise.resolve(undefined);
  const devices = { compileSelector: () => () => false, carryOut: nothing, deallocate: () => {} };
  try {
    createScheduling({
      ...{ config, naming, more, random: () => 0, bind: nothing, bindVolumes: () => nothing },
      ...(hasDevices ? { devices } : {}),
    });
    return undefined;
  } catch (error) {
    if (error instanceof ProfileError) return error.message;
    throw error;
  }
}
