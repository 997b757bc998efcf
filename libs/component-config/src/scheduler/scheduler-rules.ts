import { isExtended } from "@orch/api/kinds/core/resource-names.js";
import type { Naming } from "@orch/naming/naming.js";
import { equalJson } from "@orch/schema/equal.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { repeats, shaped, unless, within } from "../rules.js";
import { checkClientConnection, checkLeaderElection } from "../shared/shared.js";
import {
  type Extender,
  extensionPoints,
  type SchedulerConfiguration,
  type SchedulerProfile,
} from "./scheduler-configuration.js";

export interface SchedulerRules {
  readonly naming: Naming;
  /** In the dialect. */
  readonly kind: string;
  readonly apiVersion: string;
  /** Of the arguments of a plugin that is known; nothing of another's. */
  readonly checkArguments: (plugin: string, args: unknown, at: string) => readonly FieldError[];
}

/** Everything that is wrong with a whole configuration, in the reference's order and words. */
export function checkScheduler(config: SchedulerConfiguration, rules: SchedulerRules): readonly FieldError[] {
  const { profiles, podInitialBackoffSeconds: initial, podMaxBackoffSeconds: longest } = config;
  const repeated = repeats(profiles.map(({ schedulerName = "" }) => schedulerName));
  return [
    ...checkClientConnection(config.clientConnection, "clientConnection"),
    ...checkLeaderElection(config.leaderElection, "leaderElection"),
    ...within("parallelism", config.parallelism, {
      min: 1,
      says: "should be an integer value greater than zero",
    }),
    ...unless(profiles.length > 0, () => fieldError.required("profiles")),
    ...profiles.flatMap((profile, i) => [
      ...checkProfile(profile, `profiles[${i}]`, rules),
      ...unless(repeated[i] !== true, () =>
        fieldError.duplicate(`profiles[${i}].schedulerName`, profile.schedulerName),
      ),
    ]),
    ...checkQueueSort(profiles),
    ...checkPercentage(config.percentageOfNodesToScore, "percentageOfNodesToScore"),
    ...within("podInitialBackoffSeconds", initial, { min: 1, says: "must be greater than 0" }),
    // The document wants more than the initial one; release 1.32 lets them be equal.
    ...unless(longest > initial, () =>
      fieldError.invalid("podMaxBackoffSeconds", longest, "must be greater than PodInitialBackoffSeconds"),
    ),
    ...checkExtenders(config.extenders, rules.naming),
  ];
}

const checkPercentage = (value: number, field: string): readonly FieldError[] =>
  within(field, value, { min: 0, max: 100, says: "not in valid range [0-100]" });

/** Plugins of releases before this version. */
const removedPlugins = new Set(["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"]);

function checkProfile(profile: SchedulerProfile, at: string, rules: SchedulerRules): readonly FieldError[] {
  const { schedulerName = "", percentageOfNodesToScore: percentage, plugins, pluginConfig } = profile;
  const [, version = ""] = rules.apiVersion.split("/");
  const repeated = repeats(pluginConfig.map(({ name }) => name));
  const removed = `was invalid in version ${JSON.stringify(version)} (${rules.kind} is version ${JSON.stringify(rules.apiVersion)})`;
  const refused = (name: string, field: string): readonly FieldError[] =>
    unless(!removedPlugins.has(name), () => fieldError.invalid(field, name, removed));
  return [
    ...unless(schedulerName !== "", () => fieldError.required(`${at}.schedulerName`)),
    ...(percentage === undefined ? [] : checkPercentage(percentage, `${at}.percentageOfNodesToScore`)),
    ...extensionPoints.flatMap((point) =>
      plugins[point].enabled.flatMap(({ name }, i) => refused(name, `${at}.plugins.${point}.enabled[${i}]`)),
    ),
    ...pluginConfig.flatMap(({ name, args }, i) => {
      const field = `${at}.pluginConfig[${i}]`;
      return [
        ...unless(repeated[i] !== true, () => fieldError.duplicate(field, name)),
        ...refused(name, field),
        ...rules.checkArguments(name, args, `${field}.args`),
      ];
    }),
  ];
}

/** One queue holds the pods of all profiles: they sort it alike. */
function checkQueueSort(profiles: readonly SchedulerProfile[]): readonly FieldError[] {
  const [first] = profiles;
  if (first === undefined) return [];
  const sort = first.plugins.queueSort;
  const argsIn = ({ pluginConfig }: SchedulerProfile): unknown =>
    pluginConfig.find(({ name }) => name === sort.enabled[0]?.name)?.args;
  const args = argsIn(first);
  const says = "must be the same for all profiles";
  return [
    ...unless(sort.enabled.length <= 1, () =>
      fieldError.invalid(
        "profiles[0].plugins.queueSort.Enabled",
        sort.enabled.length,
        "only one queue sort plugin can be enabled",
      ),
    ),
    ...profiles.slice(1).flatMap((profile, before) => {
      const at = `profiles[${before + 1}]`;
      const { queueSort } = profile.plugins;
      const own = argsIn(profile);
      return [
        ...unless(equalJson(sort, queueSort), () => fieldError.invalid(`${at}.plugins.queueSort`, queueSort, says)),
        ...unless(own === undefined || equalJson(args, own), () =>
          fieldError.invalid(`${at}.pluginConfig.args`, own, `queueSort ${says}`),
        ),
      ];
    }),
  ];
}

function checkExtenders(extenders: readonly Extender[], naming: Naming): readonly FieldError[] {
  const seen = new Set<string>();
  const binders = extenders.filter(({ bindVerb }) => bindVerb !== "").length;
  return [
    ...extenders.flatMap(({ prioritizeVerb, weight, managedResources }, i) => [
      ...unless(prioritizeVerb === "" || weight > 0, () =>
        fieldError.invalid(`extenders[${i}].weight`, weight, "must have a positive weight applied to it"),
      ),
      ...managedResources.flatMap(({ name }, j) => {
        const field = `extenders[${i}].managedResources[${j}].name`;
        const isRepeated = seen.has(name);
        seen.add(name);
        return [
          ...checkManaged(name, field, naming),
          ...unless(!isRepeated, () => fieldError.invalid(field, name, "duplicate extender managed resource name")),
        ];
      }),
    ]),
    ...unless(binders <= 1, () =>
      fieldError.invalid(
        "extenders",
        `found ${binders} extenders implementing bind`,
        "only one extender can implement bind",
      ),
    ),
  ];
}

function checkManaged(name: string, field: string, naming: Naming): readonly FieldError[] {
  const problems = shaped(field, name, qualifiedName(name));
  if (problems.length > 0 || isExtended(name, naming)) return problems;
  return [fieldError.invalid(field, name, "is an invalid extended resource name")];
}
