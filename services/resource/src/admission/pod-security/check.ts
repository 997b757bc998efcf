import type { Pod } from "@orch/api/kinds/core/pod/types.js";

interface Profile {
  readonly type?: string;
}

export interface SeLinux {
  readonly type?: string;
  readonly user?: string;
  readonly role?: string;
}

/** What a pod and a container may both say of themselves. */
export interface Context {
  readonly seLinuxOptions?: SeLinux;
  readonly windowsOptions?: { readonly hostProcess?: boolean };
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
}

interface ContainerContext extends Context {
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly procMount?: string;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}

export interface CheckedContainer {
  readonly name?: string;
  readonly image?: string;
  readonly ports?: readonly { readonly hostPort?: number }[];
  readonly securityContext?: ContainerContext;
}

export interface CheckedSpec {
  readonly os?: { readonly name?: string };
  readonly runtimeClassName?: string;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly volumes?: readonly (object & { readonly name?: string })[];
  readonly containers?: readonly CheckedContainer[];
  readonly initContainers?: readonly CheckedContainer[];
  readonly ephemeralContainers?: readonly CheckedContainer[];
  readonly securityContext?: Context & { readonly sysctls?: readonly { readonly name?: string }[] };
}

/** A pod, or the template of one, as the rules see it. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: CheckedSpec;
  /** Of all three sorts, in the order in which they are told. */
  readonly containers: readonly CheckedContainer[];
}

export function checkedPod({ metadata, spec }: Pick<Pod, "metadata"> & { readonly spec?: CheckedSpec }): CheckedPod {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  return {
    annotations: metadata.annotations ?? {},
    spec: spec ?? {},
    containers: [...initContainers, ...containers, ...ephemeralContainers],
  };
}

/** What a pod breaks: `host namespaces (hostPID=true)`. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A rule in the form that it has from a release on. */
export interface CheckVersion {
  readonly since: number;
  readonly check: (pod: CheckedPod) => Violation | undefined;
  /** Rules of the level below that this one takes in. */
  readonly overrides?: readonly string[];
}

export interface Check {
  readonly id: string;
  /** From the oldest on. */
  readonly versions: readonly CheckVersion[];
}

/** A pod of very many containers breaks a rule very many times: an answer has room for so many names. */
const mostNames = 100;

/** `"a", "b"` */
export function quoted(names: Iterable<string>): string {
  const all = [...names];
  const more = all.length > mostNames ? `, and ${all.length - mostNames} more` : "";
  return `"${all.slice(0, mostNames).join('", "')}"${more}`;
}

/** `container "a"`, `containers "a", "b"`; undefined of none. */
export function containersText(containers: readonly CheckedContainer[]): string | undefined {
  return namedText("container", containers);
}

export function namedText(what: string, all: readonly { readonly name?: string }[]): string | undefined {
  if (all.length === 0) return undefined;
  return `${plural(what, all.length)} ${quoted(all.map(({ name = "" }) => name))}`;
}

export function plural(what: string, count: number): string {
  return count === 1 ? what : `${what}s`;
}

/** Each once, in their order. */
export function sortedSet(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].sort();
}

/** `pod and container "a"`: whoever says of himself what nobody may; undefined where nobody does. */
export function settersText(
  { spec, containers }: CheckedPod,
  isWrong: (context: Context) => boolean,
): string | undefined {
  const wrong = (context: Context | undefined): boolean => context !== undefined && isWrong(context);
  const setters = [
    wrong(spec.securityContext) ? "pod" : undefined,
    containersText(containers.filter(({ securityContext }) => wrong(securityContext))),
  ].filter((setter) => setter !== undefined);
  return setters.length === 0 ? undefined : setters.join(" and ");
}

/** The contexts of the pod and of its containers. */
export function contextsOf({ spec, containers }: CheckedPod): readonly Context[] {
  return [spec, ...containers].flatMap(({ securityContext }) => securityContext ?? []);
}
