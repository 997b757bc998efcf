import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { containersOf, type PlacedContainer, type PodSpec } from "./types.js";

const systems = ["linux", "windows"];

/** What the pod's operating system forbids; `at` is the spec's path. */
export function validateOs(spec: PodSpec, at: string): FieldError[] {
  const name = spec.os?.name ?? "";
  // Its absence is told by the checks of the type.
  if (name === "") return [];
  if (!systems.includes(name)) return [fieldError.notSupported(`${at}.os`, name, systems)];
  return name === "linux" ? validateLinux(spec, at) : validateWindows(spec, at);
}

/** Containers in the order in which the reference visits them. */
function visited(spec: PodSpec): readonly PlacedContainer[] {
  return containersOf(spec, ["initContainers", "containers", "ephemeralContainers"]);
}

function validateLinux(spec: PodSpec, at: string): FieldError[] {
  const detail = "windows options cannot be set for a linux pod";
  const wrong = (place: string, context: { readonly windowsOptions?: object } | undefined) =>
    context?.windowsOptions === undefined
      ? []
      : [fieldError.forbidden(`${place}.securityContext.windowsOptions`, detail)];
  return [
    ...wrong(at, spec.securityContext),
    ...visited(spec).flatMap((c) => wrong(`${at}.${c.at}`, c.container.securityContext)),
  ];
}

const windowsPod = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"] as const;
const windowsPodContext = [
  "appArmorProfile",
  "seLinuxOptions",
  "seLinuxChangePolicy",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
] as const;
const windowsContext = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

function validateWindows(spec: PodSpec, at: string): FieldError[] {
  const forbidden = <T extends object>(place: string, value: T | undefined, names: readonly (keyof T & string)[]) =>
    names
      .filter((name) => value?.[name] !== undefined)
      .map((name) => fieldError.forbidden(`${place}.${name}`, "cannot be set for a windows pod"));
  return [
    ...forbidden(`${at}.securityContext`, spec.securityContext, windowsPodContext),
    ...forbidden(at, spec, windowsPod),
    ...visited(spec).flatMap((c) =>
      forbidden(`${at}.${c.at}.securityContext`, c.container.securityContext, windowsContext),
    ),
  ];
}

/** Containers that are processes of a Windows host: all of a pod's or none, on the host's network. */
export function validateHostProcess(spec: PodSpec, at: string): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const all = visited(spec).map((c) => ({ ...c, own: c.container.securityContext?.windowsOptions?.hostProcess }));
  const count = all.filter(({ own }) => own ?? ofPod ?? false).length;
  const differing = all.flatMap(({ own, at: place }) =>
    ofPod === undefined || own === undefined || own === ofPod
      ? []
      : [
          fieldError.invalid(
            `${at}.${place}.securityContext.windowsOptions.hostProcess`,
            own,
            `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
          ),
        ],
  );
  if (count === 0) return differing;
  return [
    ...differing,
    ...(count === all.length
      ? []
      : [
          fieldError.invalid(
            at,
            "",
            "If pod contains any hostProcess containers then all containers must be HostProcess containers",
          ),
        ]),
    ...(spec.hostNetwork === true
      ? []
      : [
          fieldError.invalid(
            `${at}.hostNetwork`,
            false,
            "hostNetwork must be true if pod contains any hostProcess containers",
          ),
        ]),
  ];
}
