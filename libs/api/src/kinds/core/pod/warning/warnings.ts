import type { Naming } from "@orch/naming/naming.js";
import {
  deprecatedNodeLabels,
  nodeSelectorWarnings,
  termsWarnings,
  termWarnings,
} from "../../../shared/warnings/node-labels.js";
import { type Budget, fractionWarnings, nameWarnings, quoted } from "../../../shared/warnings/text.js";
import type { Resources } from "../../resources.js";
import type { PodAffinityTerm } from "../affinity-types.js";
import { podAnnotationKeys } from "../annotation-keys.js";
import { lostAppArmor } from "../security/app-armor.js";
import type { PodTemplate } from "../template.js";
import { type Container, containersOf, type EnvVar, type Pod, type PodSpec } from "../types.js";
import { pathWarnings } from "./path-warnings.js";
import { portWarnings } from "./port-warnings.js";
import { volumeWarnings } from "./volume-warnings.js";

interface Spec extends PodSpec {
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
}

export interface PodWarnings {
  /** Of a new pod, as it was given: fields are made of its annotations then. */
  readonly ofPod: (given: Pod) => Iterable<string>;
  readonly ofTemplate: (template: PodTemplate | undefined, at: string) => Iterable<string>;
}

const mostComparisons = 50_000;

/** What whoever makes pods is warned of (release 1.32 of the reference). */
export function podWarnings(naming: Naming): PodWarnings {
  const keys = podAnnotationKeys(naming);
  const labels = deprecatedNodeLabels(naming);
  const oldAnnotations = [
    [
      `scheduler.alpha.${naming.key("critical-pod")}`,
      'non-functional in v1.16+; use the "priorityClassName" field instead',
    ],
    [`security.alpha.${naming.key("sysctls")}`, 'non-functional in v1.11+; use the "sysctls" field instead'],
    [`security.alpha.${naming.key("unsafe-sysctls")}`, 'non-functional in v1.11+; use the "sysctls" field instead'],
  ] as const;
  const appArmorText = 'deprecated since v1.30; use the "appArmorProfile" field instead';

  function* ofParts(pod: PodTemplate, at: string): Iterable<string> {
    const budget: Budget = { comparisons: mostComparisons };
    const annotations = pod.metadata?.annotations ?? {};
    const annotationAt = (key: string): string => `${at}metadata.annotations[${key}]`;
    const spec: Spec = pod.spec ?? {};
    const place = `${at}spec`;
    yield* placementWarnings(spec, place);
    for (const [key, why] of oldAnnotations) if (Object.hasOwn(annotations, key)) yield `${annotationAt(key)}: ${why}`;
    yield* volumeWarnings(spec.volumes ?? [], `${place}.volumes`);
    yield* pathWarnings(spec.volumes ?? [], budget);
    yield* repeatWarnings(spec, place);
    yield* byteWarnings(spec.overhead, `${place}.overhead`);
    const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
    if (spec.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, keys.seccompPod)) {
      yield `${annotationAt(keys.seccompPod)}: ${seccomp}`;
    }
    const containers = containersOf(spec, ["initContainers", "containers", "ephemeralContainers"]);
    for (const { container, at: of } of containers) {
      const { name = "", securityContext } = container;
      const key = keys.seccompContainer + name;
      if (securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, key)) {
        yield `${annotationAt(key)}: ${seccomp}`;
      }
      const armor = keys.appArmor + name;
      const armored = spec.securityContext?.appArmorProfile ?? securityContext?.appArmorProfile;
      // Those of a pod are told where its fields are made of them.
      if (at !== "" && armored === undefined && Object.hasOwn(annotations, armor)) {
        yield `${annotationAt(armor)}: ${appArmorText}`;
      }
      yield* containerWarnings(container, `${place}.${of}`);
    }
    yield* portWarnings(containers, place, budget);
    yield* endWarnings(spec, place);
  }

  function* placementWarnings(spec: Spec, at: string): Iterable<string> {
    yield* nodeSelectorWarnings(spec.nodeSelector, labels, (label) => `${at}.nodeSelector[${label}]`);
    const {
      requiredDuringSchedulingIgnoredDuringExecution: needed,
      preferredDuringSchedulingIgnoredDuringExecution: liked,
    } = spec.affinity?.nodeAffinity ?? {};
    const nodes = `${at}.affinity.nodeAffinity`;
    yield* termsWarnings(
      needed?.nodeSelectorTerms,
      `${nodes}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
      labels,
    );
    for (const [i, { preference = {} }] of (liked ?? []).entries()) {
      yield* termWarnings(
        preference,
        `${nodes}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`,
        labels,
      );
    }
    for (const [i, { topologyKey = "", labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
      const place = `${at}.topologySpreadConstraints[${i}]`;
      const why = labels.get(topologyKey);
      if (why !== undefined) yield `${place}.topologyKey: ${topologyKey} is ${why}`;
      if (labelSelector === undefined) yield `${place}.labelSelector: ${noMatch}`;
    }
  }

  return {
    *ofPod(given) {
      yield* nameWarnings(given.metadata.name ?? "", "the Pod's hostname");
      for (const key of lostAppArmor(given, keys)) yield `metadata.annotations[${key}]: ${appArmorText}`;
      yield* ofParts(given, "");
    },
    *ofTemplate(template, at) {
      if (template !== undefined) yield* ofParts(template, `${at}.`);
    },
  };
}

const noMatch = "a null labelSelector results in matching no pod";

function* repeatWarnings({ hostAliases = [], imagePullSecrets = [] }: Spec, at: string): Iterable<string> {
  const addresses = new Set<string | undefined>();
  for (const [i, { ip }] of hostAliases.entries()) {
    if (addresses.has(ip)) yield `${at}.hostAliases[${i}].ip: duplicate ip ${quoted(ip ?? "")}`;
    addresses.add(ip);
  }
  const names = new Set<string>();
  for (const [i, { name = "" }] of imagePullSecrets.entries()) {
    if (names.has(name)) yield `${at}.imagePullSecrets[${i}].name: duplicate name ${quoted(name)}`;
    names.add(name);
  }
  for (const [i, { name = "" }] of imagePullSecrets.entries()) {
    if (name === "") yield `${at}.imagePullSecrets[${i}].name: invalid empty name ""`;
  }
}

function* containerWarnings({ resources, env = [] }: Container, at: string): Iterable<string> {
  for (const name of ["memory", "ephemeral-storage"]) {
    for (const part of ["limits", "requests"] as const) {
      yield* fractionWarnings(resources?.[part]?.[name], `${at}.resources.${part}[${name}]`);
    }
  }
  const names = new Set<string>();
  for (const [i, variable] of env.entries()) {
    const { name = "" } = variable;
    if (names.has(name) && hides(variable, name)) {
      yield `${at}.env[${i}]: hides previous definition of ${quoted(name)}, which may be dropped when using apply`;
    }
    names.add(name);
  }
}

/** Whether nothing of the definition before is left: `$(A)` in a new value of A stands for it. */
function hides({ value = "", valueFrom }: EnvVar, name: string): boolean {
  const before = `$(${name})`;
  return valueFrom !== undefined || value === before || !value.includes(before);
}

function* byteWarnings(resources: Resources | undefined, at: string): Iterable<string> {
  for (const name of ["memory", "ephemeral-storage"]) yield* fractionWarnings(resources?.[name], `${at}[${name}]`);
}

function* endWarnings({ terminationGracePeriodSeconds: grace, affinity }: Spec, at: string): Iterable<string> {
  if (grace !== undefined && grace < 0) {
    yield `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`;
  }
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    const {
      requiredDuringSchedulingIgnoredDuringExecution: needed,
      preferredDuringSchedulingIgnoredDuringExecution: liked,
    } = affinity?.[kind] ?? {};
    const place = `${at}.affinity.${kind}`;
    yield* matchless(needed, (i) => `${place}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`);
    const terms = liked?.map(({ podAffinityTerm = {} }) => podAffinityTerm);
    yield* matchless(terms, (i) => `${place}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm`);
  }
}

function* matchless(terms: readonly PodAffinityTerm[] | undefined, at: (i: number) => string): Iterable<string> {
  for (const [i, { labelSelector }] of (terms ?? []).entries()) {
    if (labelSelector === undefined) yield `${at(i)}.labelSelector: ${noMatch}`;
  }
}
