import type {
  ExtensionPoint,
  PluginSet,
  SchedulerProfile,
} from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Plugin } from "./plugin.js";

type Point = Exclude<ExtensionPoint, "multiPoint">;

/** Points in the order in which they are built, and the names that errors call them by. */
const interfaces: Readonly<Record<Point, string>> = {
  preFilter: "PreFilterPlugin",
  filter: "FilterPlugin",
  postFilter: "PostFilterPlugin",
  reserve: "ReservePlugin",
  preScore: "PreScorePlugin",
  score: "ScorePlugin",
  preBind: "PreBindPlugin",
  bind: "BindPlugin",
  postBind: "PostBindPlugin",
  permit: "PermitPlugin",
  preEnqueue: "PreEnqueuePlugin",
  queueSort: "QueueSortPlugin",
};
const points: readonly Point[] = [
  "preFilter",
  "filter",
  "postFilter",
  "reserve",
  "preScore",
  "score",
  "preBind",
  "bind",
  "postBind",
  "permit",
  "preEnqueue",
  "queueSort",
];

/** A plugin that is known to implement a point. */
export type At<P extends Point> = Plugin & { readonly [K in P]-?: NonNullable<Plugin[K]> };

export interface WeightedScore {
  readonly plugin: At<"score">;
  readonly weight: number;
}

/** What runs at each point for the pods of one scheduler name, in its order. */
export interface Profile {
  readonly schedulerName: string;
  /** Of all nodes, 0 … 100; undefined: as for all profiles. */
  readonly percentageOfNodesToScore: number | undefined;
  readonly preEnqueue: readonly At<"preEnqueue">[];
  readonly queueSort: At<"queueSort">;
  readonly preFilter: readonly At<"preFilter">[];
  readonly filter: readonly At<"filter">[];
  readonly postFilter: readonly At<"postFilter">[];
  readonly preScore: readonly At<"preScore">[];
  readonly score: readonly WeightedScore[];
  readonly reserve: readonly At<"reserve">[];
  readonly permit: readonly At<"permit">[];
  readonly preBind: readonly At<"preBind">[];
  readonly bind: readonly At<"bind">[];
  readonly postBind: readonly At<"postBind">[];
  /** Every plugin that runs anywhere, by name. */
  readonly plugins: ReadonlyMap<string, Plugin>;
}

/** Builds a plugin from the profile's arguments for it, once per profile. @throws Error what is wrong with them */
export type Factory = (profile: SchedulerProfile) => Plugin;
/** Factories by the name of their plugin. */
export type Registry = ReadonlyMap<string, Factory>;

/** What a profile cannot be built from. */
export class ProfileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProfileError";
  }
}

/** A total beyond this could not be told exactly by programs that count in 64 bits. */
const largestTotal = 2 ** 63 - 1;
export const maxNodeScore = 100;

/**
 * Resolves the plugin sets of a profile, whose `multiPoint` holds the defaults already, to a list for each point.
 * @throws ProfileError
 */
export function resolveProfile(profile: SchedulerProfile, registry: Registry): Profile {
  const { schedulerName = "", percentageOfNodesToScore, plugins: sets } = profile;
  const named = new Set([...points, "multiPoint" as const].flatMap((p) => sets[p].enabled.map(({ name }) => name)));
  const plugins = new Map<string, Plugin>();
  for (const name of named) {
    const factory = registry.get(name);
    if (factory !== undefined) plugins.set(name, built(name, factory, profile));
  }
  const own = new Map(points.map((point) => [point, listedAt(point, sets[point], plugins)]));
  const at = <P extends Point>(point: P): readonly At<P>[] => {
    const names = expanded({ point, set: sets[point], multi: sets.multiPoint, own: own.get(point) ?? [], plugins });
    return names.flatMap((name) => {
      const plugin = plugins.get(name);
      return plugin !== undefined && implementsPoint(plugin, point) ? [plugin] : [];
    });
  };
  // In this order, so that the first of several problems is the one that the reference tells.
  const [preFilter, filter, postFilter, reserve] = [at("preFilter"), at("filter"), at("postFilter"), at("reserve")];
  const [preScore, score, preBind, bind] = [at("preScore"), at("score"), at("preBind"), at("bind")];
  const [postBind, permit, preEnqueue, sorts] = [at("postBind"), at("permit"), at("preEnqueue"), at("queueSort")];
  const [queueSort] = sorts;
  const of = `for profile with scheduler name ${JSON.stringify(schedulerName)}`;
  if (queueSort === undefined || sorts.length > 1) {
    throw new ProfileError(`only one queue sort plugin required ${of}, but got ${sorts.length}`);
  }
  if (bind.length === 0) throw new ProfileError(`at least one bind plugin is needed ${of}`);
  return {
    schedulerName,
    percentageOfNodesToScore,
    preFilter,
    filter,
    postFilter,
    reserve,
    preScore,
    score: weighted(score, [...sets.score.enabled, ...sets.multiPoint.enabled]),
    preBind,
    bind,
    postBind,
    permit,
    preEnqueue,
    queueSort,
    plugins,
  };
}

function built(name: string, factory: Factory, profile: SchedulerProfile): Plugin {
  try {
    return factory(profile);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ProfileError(`initializing plugin ${JSON.stringify(name)}: ${why}`);
  }
}

const implementsPoint = <P extends Point>(plugin: Plugin, point: P): plugin is At<P> => plugin[point] !== undefined;

function known(plugins: ReadonlyMap<string, Plugin>, name: string, point: Point): Plugin {
  const plugin = plugins.get(name);
  if (plugin === undefined) throw new ProfileError(`${interfaces[point]} ${JSON.stringify(name)} does not exist`);
  return plugin;
}

const repeated = (name: string, point: Point): ProfileError =>
  new ProfileError(`plugin ${JSON.stringify(name)} already registered as ${JSON.stringify(interfaces[point])}`);

/** Names that a point enables itself. */
function listedAt(point: Point, { enabled }: PluginSet, plugins: ReadonlyMap<string, Plugin>): readonly string[] {
  const names = new Set<string>();
  for (const { name } of enabled) {
    if (!implementsPoint(known(plugins, name, point), point)) {
      throw new ProfileError(`plugin ${JSON.stringify(name)} does not extend ${interfaces[point]} plugin`);
    }
    if (names.has(name)) throw repeated(name, point);
    names.add(name);
  }
  return [...names];
}

interface Expansion {
  readonly point: Point;
  readonly set: PluginSet;
  readonly multi: PluginSet;
  readonly own: readonly string[];
  readonly plugins: ReadonlyMap<string, Plugin>;
}

/**
 * First what the point lists of `multiPoint`'s plugins, then the others of `multiPoint`, then what the point alone lists.
 *
 * multiPoint [A B C D], point {enabled: [X C], disabled: [B]}   →   [C A D X]
 */
function expanded({ point, set, multi, own, plugins }: Expansion): readonly string[] {
  const disabled = new Set(set.disabled.map(({ name }) => name));
  if (disabled.has("*")) return own;
  const listed = new Set(own);
  const overriding = new Set<string>();
  const others = new Set<string>();
  for (const { name } of multi.enabled) {
    if (!implementsPoint(known(plugins, name, point), point) || disabled.has(name)) continue;
    if (listed.has(name)) {
      overriding.add(name);
    } else {
      if (others.has(name)) throw repeated(name, point);
      others.add(name);
    }
  }
  return [...own.filter((name) => overriding.has(name)), ...others, ...own.filter((name) => !overriding.has(name))];
}

/** The point's own weight before that of `multiPoint`; none is 1. */
function weighted(
  plugins: readonly At<"score">[],
  enabled: readonly { readonly name: string; readonly weight?: number | undefined }[],
): readonly WeightedScore[] {
  let total = 0;
  return plugins.map((plugin) => {
    const given = enabled.find(({ name }) => name === plugin.name)?.weight ?? 0;
    const weight = given === 0 ? 1 : given;
    total += weight * maxNodeScore;
    if (total > largestTotal) throw new ProfileError("total score of Score plugins could overflow");
    return { plugin, weight };
  });
}
