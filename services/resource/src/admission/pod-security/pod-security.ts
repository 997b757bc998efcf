import type { Kind } from "@orch/api/catalog.js";
import type { Pod } from "@orch/api/kinds/core/pod/types.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import type { Naming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { invalid } from "@orch/status/api-error.js";
import type { Mirror } from "../../mirror.js";
import type { Advice } from "../../write/advice.js";
import type { JudgedState, Write } from "../../write/write.js";
import type { AdmissionPlugin } from "../admission.js";
import { requireNamespace } from "../namespace-of.js";
import { refused } from "../refused.js";
import type { CheckedSpec } from "./check.js";
import type { PodSecurityConfiguration } from "./configuration.js";
import { existingPodWarnings } from "./existing-pods.js";
import { isExemptSpec, type JudgeDeps, type Judgement, judge, judgeDeps, problemsText } from "./judge.js";
import {
  compareLevels,
  isPrivileged,
  type LabelNames,
  type LevelVersion,
  labelNames,
  modes,
  type Policy,
  type PolicyOfLabels,
  policyOfLabels,
  policyText,
} from "./policy.js";
import { isSignificant, type PodState } from "./significant.js";

export interface PodSecurityDeps {
  readonly naming: Naming;
  readonly namespaces: Mirror;
  readonly configuration: PodSecurityConfiguration;
}

/** Holds pods to the security standard that the labels of their namespace name. */
export function podSecurity({ naming, namespaces, configuration }: PodSecurityDeps): AdmissionPlugin {
  const world: World = {
    ...{ namespaces, ...judgeDeps(naming, configuration), names: labelNames(naming) },
    naming,
  };
  return {
    name: "PodSecurity",
    handles: (kind, subresource) => judgeOf(kind, subresource) !== undefined,
    validate: (state) => judgeOf(state.write.kind, state.write.request.subresource)?.(state, world),
  };
}

interface World extends PodSecurityDeps, JudgeDeps {
  readonly names: LabelNames;
}

type Judge = (state: JudgedState, world: World) => Advice | Promise<Advice>;

const nothing: Advice = {};

const inSpec = "spec.template";
/** By group and kind: where the template of a workload's pods stands. */
const templates: ReadonlyMap<string, string> = new Map([
  ["/PodTemplate", "template"],
  ["/ReplicationController", inSpec],
  ...["ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"].map((kind) => [`apps/${kind}`, inSpec] as const),
  ["batch/Job", inSpec],
  ["batch/CronJob", "spec.jobTemplate.spec.template"],
]);

function judgeOf({ group, kind }: Kind, subresource: string): Judge | undefined {
  if (group === "" && kind === "Pod") {
    return ["", "ephemeralcontainers", "resize"].includes(subresource) ? judgePod : undefined;
  }
  if (subresource !== "") return undefined;
  if (group === "" && kind === "Namespace") return judgeNamespace;
  return templates.has(`${group}/${kind}`) ? judgeWorkload : undefined;
}

async function judgePod(state: JudgedState, world: World): Promise<Advice> {
  const { write, object, old } = state;
  const exemption = exemptionOf(write, world);
  if (exemption !== undefined) return exemption;
  const asked = await askedOf(write, world);
  if (asked.problems.length === 0 && isPrivileged(asked.policy)) return noted(world, asked.policy.enforce);
  if (old !== undefined && !isSignificant(podState(object), podState(old), world.naming)) return nothing;
  return toldOf(state, judge(podState(object), asked, { ...world, enforces: true }));
}

async function judgeWorkload(state: JudgedState, world: World): Promise<Advice> {
  const { write, object } = state;
  const exemption = exemptionOf(write, world);
  if (exemption !== undefined) return exemption;
  const asked = await askedOf(write, world);
  const { audit, warn } = asked.policy;
  if (asked.problems.length === 0 && audit.level === "privileged" && warn.level === "privileged") return nothing;
  const template = valueAt(object, templates.get(`${write.kind.group}/${write.kind.kind}`) ?? "");
  if (!isObject(template)) return nothing;
  const { metadata } = template;
  const pod = { ...template, metadata: isObject(metadata) ? metadata : {} };
  return toldOf(state, judge(pod, asked, { ...world, enforces: false }));
}

function toldOf({ write, object }: JudgedState, { violation, ...advice }: Judgement): Advice {
  return violation === undefined ? advice : { ...advice, refusal: refused(write, object, violation) };
}

function noted({ note }: World, enforce: LevelVersion): Advice {
  return { auditAnnotations: [note("enforce-policy", policyText(enforce))] };
}

/** Labels that cannot be read are refused; whoever raises the level is told of the pods that break it. */
async function judgeNamespace({ write, object, old }: JudgedState, world: World): Promise<Advice> {
  const { configuration, evaluate } = world;
  const name = object.metadata.name ?? "";
  const next = labelsOf(object, world);
  const before = old === undefined ? undefined : labelsOf(old, world);
  const isNew = before === undefined || problemsText(next.problems) !== problemsText(before.problems);
  if (next.problems.length > 0 && isNew) throw invalid({ group: "", kind: "Namespace" }, name, next.problems);
  const isExempt = configuration.exemptions.namespaces.has(name);
  if (before === undefined) return isExempt ? exemptNamespace(name, next.policy, world) : nothing;
  const [level, oldLevel] = [next.policy.enforce, before.policy.enforce];
  const sameVersion = level.version === oldLevel.version;
  if (level.level === "privileged" || (sameVersion && compareLevels(level.level, oldLevel.level) <= 0)) return nothing;
  if (isExempt) return exemptNamespace(name, next.policy, world);
  const isExemptPod = (spec: CheckedSpec): boolean => isExemptSpec(spec, configuration);
  return { warnings: await existingPodWarnings(write, { namespace: name, level, evaluate, isExempt: isExemptPod }) };
}

function exemptNamespace(name: string, policy: Policy, { configuration, note }: World): Advice {
  const auditAnnotations = [note("exempt", "namespace")];
  const same = modes.every((mode) => policyText(policy[mode]) === policyText(configuration.defaults[mode]));
  if (same || isPrivileged(policy)) return { auditAnnotations };
  const asked = modes.filter((mode) => policy[mode].level !== "privileged");
  const text = asked.map((mode) => `${mode}=${policyText(policy[mode])}`).join(", ");
  const what = `namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy`;
  return { warnings: [`${what} (${text}) will be ignored`], auditAnnotations };
}

/** What is held to nothing: a namespace, or what a user writes. */
function exemptionOf({ request }: Write, { configuration, note }: World): Advice | undefined {
  const { namespaces, users } = configuration.exemptions;
  if (namespaces.has(request.namespace)) return { auditAnnotations: [note("exempt", "namespace")] };
  return users.has(request.user.name) ? { auditAnnotations: [note("exempt", "user")] } : undefined;
}

/** @throws ApiError InternalError where there is no such namespace */
async function askedOf(write: Write, world: World): Promise<PolicyOfLabels> {
  return labelsOf(await requireNamespace(write, world.namespaces), world);
}

function labelsOf({ metadata }: AnyObject, { configuration, names }: World): PolicyOfLabels {
  return policyOfLabels(metadata.labels ?? {}, { defaults: configuration.defaults, names });
}

function podState(object: AnyObject): PodState {
  const pod: Pod & { readonly spec?: CheckedSpec } = object;
  return pod;
}
