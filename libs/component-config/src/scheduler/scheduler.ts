import { loadTypes } from "@orch/api/catalog.js";
import { strictProblem } from "@orch/codec/configuration-document.js";
import type { Naming } from "@orch/naming/naming.js";
import { DecodeError, decode } from "@orch/schema/decode.js";
import { applyDefaults } from "@orch/schema/defaults.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { FieldError } from "@orch/status/field-error.js";
import { type Configuration, configuration } from "../configuration.js";
import { isTypeMeta, type Struct } from "../shape.js";
import { type ArgumentsOf, argumentKinds, type PluginWithArguments } from "./arguments.js";
import { argumentRules } from "./arguments-rules.js";
import { defaultPluginsWith, enabledPlugins, mergedSet, type SchedulerGates } from "./plugin-sets.js";
import {
  type Plugin,
  type SchedulerConfiguration,
  type SchedulerProfile,
  schedulerShape,
} from "./scheduler-configuration.js";
import { checkScheduler } from "./scheduler-rules.js";

const group = "orchscheduler.config";

/** The scheduler's configuration, with the arguments of its plugins decoded, defaulted and validated in their own kinds. */
export function schedulerConfiguration(
  naming: Naming,
  gates: SchedulerGates = {},
): Configuration<SchedulerConfiguration> {
  const defaults = defaultPluginsWith(gates);
  const apiVersion = `${naming.configurationGroup(group)}/v1`;
  const plugins = pluginsWithArguments(naming, apiVersion);
  const spec = {
    kind: "OrchSchedulerConfiguration",
    group,
    versions: [{ version: "v1" }],
    shape: schedulerShape(naming),
    nested: (value: JsonObject, strict: string[]): JsonObject => withDecodedArguments(value, plugins, strict),
    fill: (value: SchedulerConfiguration): SchedulerConfiguration => filled(value, plugins, defaults),
    check: (value: SchedulerConfiguration): readonly FieldError[] =>
      checkScheduler(value, {
        naming,
        apiVersion,
        kind: naming.configurationWord("OrchSchedulerConfiguration"),
        checkArguments: (name, args, at) => plugins.get(name)?.check(args, at) ?? [],
      }),
  };
  return configuration(spec, naming);
}

/** The arguments of a plugin in a profile; undefined where it does not run there. */
export function argumentsOf<P extends PluginWithArguments>(
  { pluginConfig }: SchedulerProfile,
  plugin: P,
): ArgumentsOf<P> | undefined {
  // What stands below the name of a known plugin was decoded, defaulted and validated as its kind.
  return pluginConfig.find(({ name }) => name === plugin)?.args as ArgumentsOf<P> | undefined;
}

/** What a plugin's arguments are made of. */
interface PluginArguments {
  /** @throws DecodeError */
  decode(args: unknown): { readonly value: JsonObject; readonly strict: readonly string[] };
  defaulted(args: unknown): JsonObject;
  check(args: unknown, at: string): readonly FieldError[];
}

type Plugins = ReadonlyMap<string, PluginArguments>;

function pluginsWithArguments(naming: Naming, apiVersion: string): Plugins {
  let loaded: ReturnType<typeof loadTypes> | undefined;
  const kinds = argumentKinds((name) => {
    loaded ??= loadTypes(naming, ["core.v1", "meta.v1"]);
    return loaded.message(name);
  });
  const of = <T>(plugin: PluginWithArguments, kind: Struct<T>, check: ArgumentRule<T>) =>
    [plugin, pluginArguments({ plugin, apiVersion, kind, check })] as const;
  return new Map([
    of("DefaultPreemption", kinds.DefaultPreemption, argumentRules.DefaultPreemption),
    of("InterPodAffinity", kinds.InterPodAffinity, argumentRules.InterPodAffinity),
    of("NodeAffinity", kinds.NodeAffinity, argumentRules.NodeAffinity),
    of(
      "NodeResourcesBalancedAllocation",
      kinds.NodeResourcesBalancedAllocation,
      argumentRules.NodeResourcesBalancedAllocation,
    ),
    of("NodeResourcesFit", kinds.NodeResourcesFit, argumentRules.NodeResourcesFit),
    of("PodTopologySpread", kinds.PodTopologySpread, argumentRules.PodTopologySpread),
    of("VolumeBinding", kinds.VolumeBinding, argumentRules.VolumeBinding),
  ]);
}

type ArgumentRule<T> = (args: T, at: string) => readonly FieldError[];

interface ArgumentSpec<T> {
  readonly plugin: string;
  readonly apiVersion: string;
  readonly kind: Struct<T>;
  readonly check: ArgumentRule<T>;
}

function pluginArguments<T>({ plugin, apiVersion, kind, check }: ArgumentSpec<T>): PluginArguments {
  const [group = ""] = apiVersion.split("/");
  const ownKind = `${plugin}Args`;
  return {
    decode(args) {
      if (!isObject(args)) throw new DecodeError("", `decoding args for plugin ${plugin}: expected object`);
      const { kind: given = ownKind, apiVersion: version = apiVersion } = args;
      if (given !== ownKind || version !== apiVersion) {
        const [other = ""] = String(version).split("/");
        const wanted = `args for plugin ${plugin} were not of type ${ownKind}.${group}`;
        throw new DecodeError("", `${wanted}, got ${String(given)}.${other}`);
      }
      const { value, unknown } = decode(kind.type, args);
      const plain = Object.fromEntries(Object.entries(value).filter(([name]) => !isTypeMeta(name)));
      return { value: plain, strict: unknown.map((path) => `unknown field ${JSON.stringify(path)}`) };
    },
    defaulted: (args) => applyDefaults(kind.type, isObject(args) ? args : {}),
    // They come from `defaulted`: what the kind's members say is there.
    check: (args, at) => check(args as T, at),
  };
}

/** Arguments of plugins that nobody here knows stay as they came. */
function withDecodedArguments(value: JsonObject, plugins: Plugins, strict: string[]): JsonObject {
  return mapped(value, "profiles", (profile, i) =>
    mapped(profile, "pluginConfig", (entry, j) => {
      const { name, args } = entry;
      const plugin = plugins.get(String(name));
      if (plugin === undefined || args === undefined || args === null) return entry;
      const at = `decoding .profiles[${i}].pluginConfig[${j}]`;
      try {
        const decoded = plugin.decode(args);
        if (decoded.strict.length > 0) {
          strict.push(
            `${at}: ${strictProblem([`decoding args for plugin ${name}: ${strictProblem(decoded.strict)}`])}`,
          );
        }
        return { ...entry, args: decoded.value };
      } catch (error) {
        if (error instanceof DecodeError) throw new DecodeError("", `${at}: ${error.message}`);
        throw error;
      }
    }),
  );
}

function mapped(value: JsonObject, name: string, change: (item: JsonObject, i: number) => JsonObject): JsonObject {
  const list = value[name];
  if (!Array.isArray(list)) return value;
  return { ...value, [name]: list.map((item: unknown, i) => (isObject(item) ? change(item, i) : item)) };
}

/** Of the only profile, where it has no name. */
const defaultName = "default-scheduler";

function filled(config: SchedulerConfiguration, plugins: Plugins, defaults: readonly Plugin[]): SchedulerConfiguration {
  const { enableProfiling, enableContentionProfiling } = config;
  const { profiles } = config;
  return {
    ...config,
    ...(enableProfiling && enableContentionProfiling === undefined ? { enableContentionProfiling: true } : {}),
    profiles: profiles.map((profile) => {
      const isNameless = profiles.length === 1 && profile.schedulerName === undefined;
      return withArguments(
        {
          ...profile,
          ...(isNameless ? { schedulerName: defaultName } : {}),
          plugins: { ...profile.plugins, multiPoint: mergedSet(defaults, profile.plugins.multiPoint) },
        },
        plugins,
      );
    }),
  };
}

/** Defaults inside of arguments, and whole ones for enabled plugins of which the file says nothing. */
function withArguments(profile: SchedulerProfile, plugins: Plugins): SchedulerProfile {
  const { pluginConfig } = profile;
  const named = new Set(pluginConfig.map(({ name }) => name));
  const missing = enabledPlugins(profile).filter((name) => plugins.has(name) && !named.has(name));
  return {
    ...profile,
    pluginConfig: [
      ...pluginConfig.map((entry) => {
        const plugin = plugins.get(entry.name);
        return plugin === undefined ? entry : { ...entry, args: plugin.defaulted(entry.args) };
      }),
      ...missing.map((name) => ({ name, args: plugins.get(name)?.defaulted({}) })),
    ],
  };
}
