import type { PodAnnotationKeys } from "@orch/api/kinds/core/pod/annotation-keys.js";
import {
  type Check,
  type CheckedPod,
  type Context,
  containersText,
  contextsOf,
  namedText,
  plural,
  quoted,
  type SeLinux,
  settersText,
  sortedSet,
  type Violation,
} from "./check.js";

/** What no pod of a namespace does that is closed to known ways out of a container; in the order of their ids. */
export function baselineChecks(keys: PodAnnotationKeys): readonly Check[] {
  return [
    { id: "appArmorProfile", versions: [{ since: 0, check: (pod) => appArmorViolation(pod, keys) }] },
    { id: "capabilities_baseline", versions: [{ since: 0, check: capabilitiesViolation }] },
    { id: "hostNamespaces", versions: [{ since: 0, check: namespacesViolation }] },
    { id: "hostPathVolumes", versions: [{ since: 0, check: hostPathViolation }] },
    { id: "hostPorts", versions: [{ since: 0, check: hostPortViolation }] },
    { id: "privileged", versions: [{ since: 0, check: privilegedViolation }] },
    { id: "procMount", versions: [{ since: 0, check: procMountViolation }] },
    {
      id: "seLinuxOptions",
      versions: [
        { since: 0, check: (pod) => seLinuxViolation(pod, oldSeLinuxTypes) },
        { since: 31, check: (pod) => seLinuxViolation(pod, seLinuxTypes) },
      ],
    },
    {
      id: "seccompProfile_baseline",
      versions: [
        { since: 0, check: (pod) => seccompTextViolation(pod, keys) },
        { since: 19, check: seccompViolation },
      ],
    },
    {
      id: "sysctls",
      versions: sysctlsSince.map(({ since }) => {
        const allowed = new Set(sysctlsSince.filter((each) => each.since <= since).flatMap(({ names }) => names));
        return { since, check: (pod: CheckedPod) => sysctlViolation(pod, allowed) };
      }),
    },
    { id: "windowsHostProcess", versions: [{ since: 0, check: hostProcessViolation }] },
  ];
}

const profileTypes: ReadonlySet<string> = new Set(["RuntimeDefault", "Localhost"]);

function appArmorViolation(pod: CheckedPod, { appArmor }: PodAnnotationKeys): Violation | undefined {
  const wrongType = ({ appArmorProfile }: Context): string | undefined =>
    appArmorProfile === undefined || profileTypes.has(appArmorProfile.type ?? "")
      ? undefined
      : (appArmorProfile.type ?? "");
  const setters = settersText(pod, (context) => wrongType(context) !== undefined);
  const types = sortedSet(contextsOf(pod).flatMap((context) => wrongType(context) ?? []));
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmor) && !isAllowedAppArmorText(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const values = [...types, ...annotations];
  if (values.length === 0) return undefined;
  const who = [setters, annotations.length === 0 ? undefined : plural("annotation", annotations.length)];
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${who.filter((one) => one !== undefined).join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function isAllowedAppArmorText(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

const usualCapabilities: ReadonlySet<string> = new Set([
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
]);

function capabilitiesViolation({ containers }: CheckedPod): Violation | undefined {
  const detail = addedText(containers, usualCapabilities);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
}

/** Who adds capabilities beyond those, and which; undefined where nobody does. */
export function addedText(containers: CheckedPod["containers"], allowed: ReadonlySet<string>): string | undefined {
  const beyond = ({ securityContext }: CheckedPod["containers"][number]): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !allowed.has(name));
  const who = containersText(containers.filter((container) => beyond(container).length > 0));
  if (who === undefined) return undefined;
  return `${who} must not include ${quoted(sortedSet(containers.flatMap(beyond)))} in securityContext.capabilities.add`;
}

function namespacesViolation({ spec }: CheckedPod): Violation | undefined {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
}

function hostPathViolation({ spec }: CheckedPod): Violation | undefined {
  const detail = namedText(
    "volume",
    (spec.volumes ?? []).filter((volume) => "hostPath" in volume),
  );
  return detail === undefined ? undefined : { reason: "hostPath volumes", detail };
}

function hostPortViolation({ containers }: CheckedPod): Violation | undefined {
  const portsOf = ({ ports = [] }: CheckedPod["containers"][number]): readonly string[] =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : String(hostPort)));
  const using = containers.filter((container) => portsOf(container).length > 0);
  const who = containersText(using);
  if (who === undefined) return undefined;
  const ports = sortedSet(using.flatMap(portsOf));
  const verb = using.length === 1 ? "uses" : "use";
  return { reason: "hostPort", detail: `${who} ${verb} ${plural("hostPort", ports.length)} ${ports.join(", ")}` };
}

function privilegedViolation({ containers }: CheckedPod): Violation | undefined {
  const who = containersText(containers.filter((c) => c.securityContext?.privileged === true));
  if (who === undefined) return undefined;
  return { reason: "privileged", detail: `${who} must not set securityContext.privileged=true` };
}

function procMountViolation({ containers }: CheckedPod): Violation | undefined {
  const wrong = containers.filter(({ securityContext }) => (securityContext?.procMount ?? "Default") !== "Default");
  const who = containersText(wrong);
  if (who === undefined) return undefined;
  const values = sortedSet(wrong.map(({ securityContext }) => securityContext?.procMount ?? ""));
  return { reason: "procMount", detail: `${who} must not set securityContext.procMount to ${quoted(values)}` };
}

const oldSeLinuxTypes: ReadonlySet<string> = new Set(["", "container_t", "container_init_t", "container_kvm_t"]);
const seLinuxTypes: ReadonlySet<string> = new Set([...oldSeLinuxTypes, "container_engine_t"]);

function seLinuxViolation(pod: CheckedPod, allowed: ReadonlySet<string>): Violation | undefined {
  const isWrong = ({ type = "", user = "", role = "" }: SeLinux): boolean =>
    !allowed.has(type) || user !== "" || role !== "";
  const who = settersText(pod, ({ seLinuxOptions }) => seLinuxOptions !== undefined && isWrong(seLinuxOptions));
  if (who === undefined) return undefined;
  const all = contextsOf(pod).flatMap(({ seLinuxOptions }) => seLinuxOptions ?? []);
  const types = sortedSet(all.flatMap(({ type = "" }) => (allowed.has(type) ? [] : type)));
  const what = [
    ...(types.length === 0 ? [] : [`${plural("type", types.length)} ${quoted(types)}`]),
    ...(all.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
    ...(all.some(({ role = "" }) => role !== "") ? ["role may not be set"] : []),
  ];
  return {
    reason: "seLinuxOptions",
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`,
  };
}

/** Before seccomp profiles were fields they were annotations. */
function seccompTextViolation(
  { annotations, containers }: CheckedPod,
  { seccompPod, seccompContainer }: PodAnnotationKeys,
): Violation | undefined {
  const keys = [seccompPod, ...containers.map(({ name = "" }) => `${seccompContainer}${name}`)];
  const wrong = sortedSet(
    keys.flatMap((key) => {
      const value = annotations[key];
      return value === undefined || isAllowedSeccompText(value) ? [] : `${key}=${JSON.stringify(value)}`;
    }),
  );
  if (wrong.length === 0) return undefined;
  return { reason: "seccompProfile", detail: `forbidden ${plural("annotation", wrong.length)} ${wrong.join(", ")}` };
}

function isAllowedSeccompText(value: string): boolean {
  return value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
}

function seccompViolation(pod: CheckedPod): Violation | undefined {
  const detail = wrongSeccompText(pod);
  return detail === undefined ? undefined : { reason: "seccompProfile", detail };
}

/** Who sets a seccomp profile of a type that confines nothing; undefined where nobody does. */
export function wrongSeccompText(pod: CheckedPod): string | undefined {
  const isWrong = ({ seccompProfile }: Context): boolean =>
    seccompProfile !== undefined && !profileTypes.has(seccompProfile.type ?? "");
  const who = settersText(pod, isWrong);
  if (who === undefined) return undefined;
  const wrong = contextsOf(pod).filter(isWrong);
  const values = sortedSet(wrong.map(({ seccompProfile }) => seccompProfile?.type ?? ""));
  return `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
}

/** Those that each release has added. */
const sysctlsSince: readonly { readonly since: number; readonly names: readonly string[] }[] = [
  {
    since: 0,
    names: [
      ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start"],
      ...["net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range"],
    ],
  },
  { since: 27, names: ["net.ipv4.ip_local_reserved_ports"] },
  {
    since: 29,
    names: [
      ...["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout"],
      ...["net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"],
    ],
  },
  { since: 32, names: ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"] },
];

function sysctlViolation({ spec }: CheckedPod, allowed: ReadonlySet<string>): Violation | undefined {
  const names = (spec.securityContext?.sysctls ?? []).map(({ name = "" }) => name);
  const wrong = names.filter((name) => !allowed.has(name));
  return wrong.length === 0 ? undefined : { reason: "forbidden sysctls", detail: wrong.join(", ") };
}

function hostProcessViolation(pod: CheckedPod): Violation | undefined {
  const who = settersText(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  if (who === undefined) return undefined;
  return { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
}
