import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateContainers } from "./containers.js";
import type { PodSpec, Projection, Toleration, Volume } from "./types.js";

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

/** Everything about a pod's spec that depends on several fields; `at` is its path. */
export function validatePodSpec(spec: PodSpec, at: string): FieldError[] {
  return [
    ...(spec.volumes ?? []).flatMap((volume, i) => validateVolume(volume, `${at}.volumes[${i}]`)),
    ...validateContainers(spec, at),
    ...validateDns(spec, at),
    ...(spec.tolerations ?? []).flatMap((t, i) => validateToleration(t, `${at}.tolerations[${i}]`)),
    ...validateSpread(spec, at),
    ...(spec.hostPID === true && spec.shareProcessNamespace === true
      ? [
          fieldError.invalid(
            `${at}.shareProcessNamespace`,
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : []),
    ...((spec.schedulingGates ?? []).length > 0 && spec.nodeName !== undefined
      ? [fieldError.forbidden(`${at}.nodeName`, "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}

function validateVolume(volume: Volume, at: string): FieldError[] {
  const sources = Object.keys(volume).filter((key) => key !== "name");
  return [
    ...(sources.length === 0 ? [fieldError.required(at, "must specify a volume type")] : []),
    ...sources.slice(1).map((name) => fieldError.forbidden(`${at}.${name}`, "may not specify more than 1 volume type")),
    ...(volume.configMap !== undefined && (volume.configMap.name ?? "") === ""
      ? [fieldError.required(`${at}.configMap.name`)]
      : []),
    ...(volume.projected?.sources ?? []).flatMap((p, i) => validateProjection(p, `${at}.projected.sources[${i}]`)),
  ];
}

function validateProjection(projection: Projection, at: string): FieldError[] {
  const names = Object.keys(projection);
  return [
    ...names
      .slice(1)
      .map((name) => fieldError.forbidden(`${at}.${name}`, "may not specify more than 1 volume type per source")),
    ...(["configMap", "secret"] as const).flatMap((name) =>
      projection[name] !== undefined && (projection[name].name ?? "") === ""
        ? [fieldError.required(`${at}.${name}.name`)]
        : [],
    ),
  ];
}

function validateDns({ dnsPolicy, dnsConfig }: PodSpec, at: string): FieldError[] {
  const place = `${at}.dnsConfig`;
  const { nameservers = [], searches = [] } = dnsConfig ?? {};
  const errors: FieldError[] = [];
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    errors.push(fieldError.required(place, "must provide `dnsConfig` when `dnsPolicy` is None"));
  } else if (dnsPolicy === "None" && nameservers.length === 0) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    errors.push(fieldError.required(`${place}.nameservers`, detail));
  }
  if (nameservers.length > maxNameservers) {
    const detail = `must not have more than ${maxNameservers} nameservers`;
    errors.push(fieldError.invalid(`${place}.nameservers`, nameservers, detail));
  }
  if (searches.length > maxSearches) {
    errors.push(
      fieldError.invalid(`${place}.searches`, searches, `must not have more than ${maxSearches} search paths`),
    );
  }
  if (searches.join(" ").length > maxSearchCharacters) {
    const detail = `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`;
    errors.push(fieldError.invalid(`${place}.searches`, searches, detail));
  }
  return errors;
}

function validateToleration(toleration: Toleration, at: string): FieldError[] {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  const everyKey = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return [
    ...(key === "" && operator !== "Exists" ? [fieldError.invalid(`${at}.operator`, operator, everyKey)] : []),
    ...(operator === "Exists" && value !== ""
      ? [fieldError.invalid(`${at}.operator`, toleration, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(toleration.tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [fieldError.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
  ];
}

function validateSpread({ topologySpreadConstraints: constraints = [] }: PodSpec, at: string): FieldError[] {
  const keys = constraints.map((c) => `{${c.topologyKey}, ${c.whenUnsatisfiable}}`);
  return constraints.flatMap((constraint, i) => {
    const place = `${at}.topologySpreadConstraints[${i}]`;
    return [
      ...(keys.indexOf(keys[i] ?? "") < i
        ? [fieldError.duplicate(`${place}.{topologyKey, whenUnsatisfiable}`, keys[i])]
        : []),
      ...(constraint.minDomains !== undefined && constraint.whenUnsatisfiable !== "DoNotSchedule"
        ? [
            fieldError.invalid(
              `${place}.minDomains`,
              constraint.minDomains,
              "can only use minDomains if whenUnsatisfiable=DoNotSchedule",
            ),
          ]
        : []),
    ];
  });
}
