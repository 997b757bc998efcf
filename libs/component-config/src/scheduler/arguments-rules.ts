import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { member, repeats, shaped, unless, within } from "../rules.js";
import { checkAddedAffinity } from "./added-affinity-rules.js";
import type { ArgumentsOf, PluginWithArguments, TopologySpreadConstraint } from "./arguments.js";

/** What is wrong with a plugin's arguments, which stand at a path. */
export const argumentRules: {
  readonly [P in PluginWithArguments]: (args: ArgumentsOf<P>, at: string) => readonly FieldError[];
} = {
  DefaultPreemption: checkPreemption,
  InterPodAffinity: (args, at) => percent(`${at}.hardPodAffinityWeight`, args.hardPodAffinityWeight),
  NodeAffinity: ({ addedAffinity }, at) =>
    addedAffinity === undefined ? [] : checkAddedAffinity(addedAffinity, `${at}.addedAffinity`),
  NodeResourcesBalancedAllocation: checkBalanced,
  NodeResourcesFit: checkFit,
  PodTopologySpread: checkSpread,
  VolumeBinding: (args, at) => [
    ...within(`${at}.bindTimeoutSeconds`, args.bindTimeoutSeconds, {
      min: 0,
      says: "invalid BindTimeoutSeconds, should not be a negative value",
    }),
    ...unless(args.shape === undefined, () => {
      const says = "unexpected field `shape`, remove it or turn on the feature gate VolumeCapacityPriority";
      return fieldError.invalid(`${at}.shape`, args.shape, says);
    }),
  ],
};

const percent = (field: string, value: number): readonly FieldError[] =>
  within(field, value, { min: 0, max: 100, says: "not in valid range [0, 100]" });

function checkPreemption(args: ArgumentsOf<"DefaultPreemption">, at: string): readonly FieldError[] {
  const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = args;
  const [ofPercentage, ofAbsolute] = [`${at}.minCandidateNodesPercentage`, `${at}.minCandidateNodesAbsolute`];
  const both = (field: string, value: number, other: string) =>
    fieldError.invalid(field, value, `cannot be zero at the same time as ${other}`);
  return [
    ...percent(ofPercentage, percentage),
    ...within(ofAbsolute, absolute, { min: 0, says: "not in valid range [0, inf)" }),
    ...(percentage === 0 && absolute === 0
      ? [
          both(ofPercentage, percentage, "minCandidateNodesAbsolute"),
          both(ofAbsolute, absolute, "minCandidateNodesPercentage"),
        ]
      : []),
  ];
}

function checkBalanced(
  { resources }: ArgumentsOf<"NodeResourcesBalancedAllocation">,
  at: string,
): readonly FieldError[] {
  const repeated = repeats(resources.map(({ name }) => name));
  return resources.flatMap(({ name, weight }, i) => [
    ...unless(repeated[i] !== true, () => fieldError.duplicate(`${at}.resources[${i}].name`, name)),
    ...unless(weight === 1, () => fieldError.invalid(`${at}.resources[${i}].weight`, weight, "must be 1")),
  ]);
}

const strategies = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"] as const;

function checkFit(args: ArgumentsOf<"NodeResourcesFit">, at: string): readonly FieldError[] {
  const { ignoredResources, ignoredResourceGroups, scoringStrategy } = args;
  const { type, resources, requestedToCapacityRatio: ratio } = scoringStrategy;
  const strategy = `${at}.scoringStrategy`;
  const wantsRatio = type === "RequestedToCapacityRatio";
  return [
    ...ignoredResources.flatMap((name, i) => shaped(`${at}.ignoredResources[${i}]`, name, qualifiedName(name))),
    ...ignoredResourceGroups.flatMap((group, i) => {
      const field = `${at}.ignoredResourceGroups[${i}]`;
      const slash = () => fieldError.invalid(field, group, "resource group name can't contain '/'");
      return [...unless(!group.includes("/"), slash), ...shaped(field, group, qualifiedName(group))];
    }),
    ...member(`${strategy}.type`, type, strategies),
    ...resources.flatMap(({ name, weight }, i) =>
      within(`${strategy}.resources[${i}].weight`, weight, {
        min: 1,
        max: 100,
        says: `resource weight of ${name} not in valid range (0, 100]`,
      }),
    ),
    ...unless(!wantsRatio || ratio !== undefined, () =>
      fieldError.required(
        `${strategy}.requestedToCapacityRatio`,
        "must be specified when type is RequestedToCapacityRatio",
      ),
    ),
    ...unless(wantsRatio || ratio === undefined, () =>
      fieldError.forbidden(
        `${strategy}.requestedToCapacityRatio`,
        "must be nil when type is not RequestedToCapacityRatio",
      ),
    ),
    ...(wantsRatio && ratio !== undefined ? checkShape(ratio.shape, `${strategy}.requestedToCapacityRatio.shape`) : []),
  ];
}

type Points = readonly { readonly utilization: number; readonly score: number }[];

/** A function from utilization to a score, by its corners. */
function checkShape(points: Points, at: string): readonly FieldError[] {
  if (points.length === 0) return [fieldError.required(at, "at least one point must be specified")];
  const fall = points.findIndex(({ utilization }, i) => utilization <= (points[i - 1]?.utilization ?? -Infinity));
  return [
    ...unless(fall < 0, () =>
      fieldError.invalid(
        `${at}[${fall}].utilization`,
        points[fall]?.utilization,
        "values must be sorted in increasing order",
      ),
    ),
    ...points.flatMap(({ utilization, score }, i) => [
      ...percent(`${at}[${i}].utilization`, utilization),
      ...within(`${at}[${i}].score`, score, { min: 0, max: 10, says: "not in valid range [0, 10]" }),
    ]),
  ];
}

const defaultings = ["System", "List"] as const;
const whenUnsatisfiables = ["DoNotSchedule", "ScheduleAnyway"] as const;

function checkSpread(args: ArgumentsOf<"PodTopologySpread">, at: string): readonly FieldError[] {
  const { defaultConstraints: constraints, defaultingType } = args;
  const pairs = constraints.map(
    ({ topologyKey = "", whenUnsatisfiable = "" }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  );
  const repeated = repeats(pairs);
  return [
    ...member(`${at}.defaultingType`, defaultingType, defaultings),
    ...unless(defaultingType !== "System" || constraints.length === 0, () =>
      fieldError.invalid(`${at}.defaultingType`, defaultingType, "when .defaultConstraints are not empty"),
    ),
    ...constraints.flatMap((constraint, i) => [
      ...checkConstraint(constraint, `${at}.defaultConstraints[${i}]`),
      ...unless(repeated[i] !== true, () => fieldError.duplicate(`${at}.defaultConstraints[${i}]`, pairs[i])),
    ]),
  ];
}

function checkConstraint(constraint: TopologySpreadConstraint, at: string): readonly FieldError[] {
  const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", labelSelector } = constraint;
  const needed = (field: string) => [fieldError.required(field, "can not be empty")];
  return [
    ...within(`${at}.maxSkew`, maxSkew, { min: 1, says: "not in valid range (0, inf)" }),
    ...(topologyKey === ""
      ? needed(`${at}.topologyKey`)
      : shaped(`${at}.topologyKey`, topologyKey, qualifiedName(topologyKey))),
    ...(whenUnsatisfiable === ""
      ? needed(`${at}.whenUnsatisfiable`)
      : member(`${at}.whenUnsatisfiable`, whenUnsatisfiable, whenUnsatisfiables)),
    ...unless(labelSelector === undefined, () =>
      fieldError.forbidden(
        `${at}.labelSelector`,
        "constraint must not define a selector, as they deduced for each pod",
      ),
    ),
  ];
}
