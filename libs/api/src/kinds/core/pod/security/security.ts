import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../../shared/problems.js";
import { repeatsIn } from "../../../shared/repeats.js";
import { oneOf } from "../errors.js";
import type { PodSpec } from "../types.js";
import { localPath } from "../volume/mounts.js";
import type { PodSecurityContext, Profile, SecurityContext, WindowsOptions } from "./security-types.js";

/** What a pod's security context says with the pod's other fields; `at` is the spec's path. */
export function validatePodSecurity(spec: PodSpec, at: string): FieldError[] {
  const { securityContext, hostPID, shareProcessNamespace } = spec;
  const place = `${at}.securityContext`;
  return [
    ...(hostPID === true && shareProcessNamespace === true
      ? [
          fieldError.invalid(
            `${place}.shareProcessNamespace`,
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : []),
    ...(securityContext === undefined ? [] : validatePodContext(securityContext, spec, place)),
  ];
}

function validatePodContext(context: PodSecurityContext, spec: PodSpec, at: string): FieldError[] {
  return [
    ...validateSysctls(context, spec, `${at}.sysctls`),
    ...validateSeccomp(context.seccompProfile, `${at}.seccompProfile`),
    ...validateWindows(context.windowsOptions, `${at}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${at}.appArmorProfile`),
    ...oneOf(`${at}.seLinuxChangePolicy`, context.seLinuxChangePolicy, ["MountOption", "Recursive"]),
  ];
}

/** What a container's security context says with other fields. */
export function validateSecurity(context: SecurityContext | undefined, spec: PodSpec, at: string): FieldError[] {
  if (context === undefined) return [];
  return [
    ...(context.procMount === "Unmasked" && spec.hostUsers !== false
      ? [fieldError.invalid(`${at}.procMount`, "Unmasked", "`hostUsers` must be false to use `Unmasked`")]
      : []),
    ...validateSeccomp(context.seccompProfile, `${at}.seccompProfile`),
    ...validateEscalation(context, at),
    ...validateWindows(context.windowsOptions, `${at}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${at}.appArmorProfile`),
  ];
}

function validateEscalation(context: SecurityContext, at: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const admin = (context.capabilities?.add ?? []).filter((name) => name === "CAP_SYS_ADMIN");
  const wrong = (what: string) =>
    fieldError.invalid(at, context, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  return [
    ...(context.privileged === true ? [wrong("`privileged` to true")] : []),
    ...admin.map(() => wrong("`capabilities.Add` CAP_SYS_ADMIN")),
  ];
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlRule = `must have at most 253 characters and match regex ^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
const segmentPattern = new RegExp(`^${sysctlSegment}$`);

function validateSysctls({ sysctls = [] }: PodSecurityContext, spec: PodSpec, at: string): FieldError[] {
  const names = sysctls.map((s) => s.name ?? "");
  const repeats = repeatsIn(names);
  return names.flatMap((name, i) => {
    const place = `${at}[${i}].name`;
    return [...validateSysctlName(name, repeats.has(i), place), ...validateHostSysctl(name, spec, place)];
  });
}

function validateSysctlName(name: string, repeated: boolean, at: string): FieldError[] {
  if (name === "") return [fieldError.required(at)];
  const good = name.length <= 253 && name.split(/[./]/).every((segment) => segmentPattern.test(segment));
  if (!good) return [fieldError.invalid(at, name, sysctlRule)];
  return repeated ? [fieldError.duplicate(at, name)] : [];
}

/** A setting of a namespace that the pod shares with its host is the host's. */
function validateHostSysctl(sysctl: string, spec: PodSpec, at: string): FieldError[] {
  // The first separator tells which form it is: `net/ipv4/tcp_syncookies` has slashes for dots.
  const dotted = /^[^./]*\//.test(sysctl) ? sysctl.replaceAll("/", ".") : sysctl;
  if (spec.hostNetwork === true && dotted.startsWith("net.")) {
    return [fieldError.invalid(at, sysctl, "may not be specified when 'hostNetwork' is true")];
  }
  const ofProcesses = dotted === "kernel.sem" || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(dotted);
  return spec.hostIPC === true && ofProcesses
    ? [fieldError.invalid(at, sysctl, "may not be specified when 'hostIPC' is true")]
    : [];
}

function validateSeccomp(profile: Profile | undefined, at: string): FieldError[] {
  if (profile === undefined) return [];
  const place = `${at}.localhostProfile`;
  const { type = "", localhostProfile } = profile;
  if (type !== "Localhost") {
    return localhostProfile === undefined
      ? []
      : [fieldError.invalid(place, profile, "can only be set when seccomp type is Localhost")];
  }
  return localhostProfile === undefined
    ? [fieldError.required(place, "must be set when seccomp type is Localhost")]
    : localPath(place, localhostProfile);
}

const profileLength = 4095;

function validateAppArmor(profile: Profile | undefined, at: string): FieldError[] {
  if (profile === undefined) return [];
  const place = `${at}.localhostProfile`;
  const { type = "", localhostProfile } = profile;
  // Other types are told by the checks of the type.
  if (type === "RuntimeDefault" || type === "Unconfined") {
    return localhostProfile === undefined
      ? []
      : [fieldError.invalid(place, localhostProfile, "can only be set when AppArmor type is Localhost")];
  }
  if (type !== "Localhost") return [];
  if ((localhostProfile ?? "") === "") {
    return [fieldError.required(place, "must be set when AppArmor type is Localhost")];
  }
  const text = localhostProfile ?? "";
  return [
    ...(text.trim() === text ? [] : [fieldError.invalid(place, text, "must not be padded with whitespace")]),
    ...(text.length > profileLength ? [fieldError.tooLong(place, profileLength)] : []),
  ];
}

/** A profile that a rule finds nothing wrong with. */
export function isAppArmorProfile(profile: Profile): boolean {
  return (
    ["Localhost", "RuntimeDefault", "Unconfined"].includes(profile.type ?? "") &&
    validateAppArmor(profile, "").length === 0
  );
}

const credentialKiB = 64;
const domainLength = 256;
const userLength = 104;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const domainLabel = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const control = /[\x00-\x1f\x7f]/;
const refusedInUsers = /["/\\:;|=,+*?<>@[\]]/;

function validateWindows(options: WindowsOptions | undefined, at: string): FieldError[] {
  if (options === undefined) return [];
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  return [
    ...(specName === undefined ? [] : invalidFor(`${at}.gmsaCredentialSpecName`, specName, dnsSubdomain(specName))),
    ...(spec === ""
      ? [fieldError.invalid(`${at}.gmsaCredentialSpec`, "", "gmsaCredentialSpec cannot be an empty string")]
      : []),
    ...(Buffer.byteLength(spec ?? "") > credentialKiB * 1024
      ? [
          fieldError.invalid(
            `${at}.gmsaCredentialSpec`,
            spec,
            `gmsaCredentialSpec size must be under ${credentialKiB} KiB`,
          ),
        ]
      : []),
    ...(user === undefined ? [] : invalidFor(`${at}.runAsUserName`, user, windowsUserProblems(user))),
  ];
}

/** `user` or `DOMAIN\user`. */
function windowsUserProblems(name: string): readonly string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (control.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? parts[0] : undefined;
  const isDomain = domain === undefined || netBios.test(domain) || domain.split(".").every((l) => domainLabel.test(l));
  return [
    ...((domain ?? "").length >= domainLength
      ? [`runAsUserName's Domain length must be under ${domainLength} characters`]
      : []),
    ...(isDomain ? [] : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
    ...(user === "" ? ["runAsUserName's User cannot be empty"] : []),
    ...(user.length > userLength
      ? [`runAsUserName's User length must not be longer than ${userLength} characters`]
      : []),
    ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(refusedInUsers.test(user)
      ? ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]
      : []),
  ];
}
