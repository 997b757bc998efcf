import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateRequirements } from "../resources.js";
import type { Container, EnvVar, Handler, PodSpec, Probe, VolumeMount } from "./types.js";
import { containersOf } from "./types.js";

interface Place {
  readonly spec: PodSpec;
  /** With `spec.` or the template's path in front. */
  readonly at: string;
}

/** Everything about the containers of a pod that depends on several fields. */
export function validateContainers(spec: PodSpec, at: string): FieldError[] {
  const all = containersOf(spec).map((c) => ({ ...c, at: `${at}.${c.at}` }));
  const names = all.map((c) => c.container.name);
  return [
    ...all.flatMap(({ container, at: place }, i) => [
      ...(container.name !== undefined && names.indexOf(container.name) < i
        ? [fieldError.duplicate(`${place}.name`, container.name)]
        : []),
      ...validateContainer(container, { spec, at: place }),
    ]),
    ...(spec.containers ?? []).flatMap((c, i) =>
      c.restartPolicy === undefined
        ? []
        : [fieldError.forbidden(`${at}.containers[${i}].restartPolicy`, "may not be set for non-init containers")],
    ),
    ...(spec.initContainers ?? []).flatMap((c, i) => validateInit(c, `${at}.initContainers[${i}]`)),
    ...validateHostPorts(spec, at),
  ];
}

function validateContainer(container: Container, place: Place): FieldError[] {
  const { at } = place;
  const { image = "", ports = [] } = container;
  const portNames = ports.map((p) => p.name);
  return [
    ...(image.trim() === image
      ? []
      : [fieldError.invalid(`${at}.image`, image, "must not have leading or trailing whitespace")]),
    ...ports.flatMap((port, i) =>
      port.name !== undefined && portNames.indexOf(port.name) < i
        ? [fieldError.duplicate(`${at}.ports[${i}].name`, port.name)]
        : [],
    ),
    ...(container.env ?? []).flatMap((env, i) => validateEnv(env, `${at}.env[${i}]`)),
    ...(container.envFrom ?? []).flatMap((source, i) =>
      exactlyOne(source, ["configMapRef", "secretRef"], {
        at: `${at}.envFrom[${i}]`,
        none: "must specify one of: `configMapRef` or `secretRef`",
        several: "may not have more than one field specified at a time",
      }),
    ),
    ...validateMounts(container, place),
    ...validateProbes(container, at),
    ...validateHandlers(container, at),
    ...validateRequirements(container.resources ?? {}, `${at}.resources`),
    ...(container.securityContext?.privileged === true && container.securityContext.allowPrivilegeEscalation === false
      ? [
          fieldError.invalid(
            `${at}.securityContext`,
            container.securityContext,
            "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
          ),
        ]
      : []),
  ];
}

interface Choice {
  readonly at: string;
  readonly none: string;
  readonly several: string;
}

function exactlyOne<T extends object>(
  value: T,
  names: readonly (keyof T & string)[],
  { at, none, several }: Choice,
): FieldError[] {
  const given = names.filter((name) => value[name] !== undefined);
  if (given.length === 1) return [];
  return [fieldError.invalid(at, "", given.length === 0 ? none : several)];
}

function validateEnv(env: EnvVar, at: string): FieldError[] {
  if (env.valueFrom === undefined) return [];
  if ((env.value ?? "") !== "") {
    return [fieldError.invalid(`${at}.valueFrom`, "", "may not be specified when `value` is not empty")];
  }
  const sources = Object.keys(env.valueFrom).length;
  const none = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
  const several = "may not have more than one field specified at a time";
  return sources === 1 ? [] : [fieldError.invalid(`${at}.valueFrom`, "", sources === 0 ? none : several)];
}

function notFound(at: string, value: string): FieldError {
  return { reason: "FieldValueNotFound", message: `Not found: ${JSON.stringify(value)}`, field: at };
}

function validateMounts(container: Container, { spec, at }: Place): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const declared = new Map((spec.volumes ?? []).map((v) => [v.name, v]));
  const paths = volumeMounts.map((m) => m.mountPath);
  const devices = volumeDevices.map((d) => d.devicePath);
  return [
    ...volumeMounts.flatMap((mount, i) => [
      ...(mount.name === undefined || declared.has(mount.name)
        ? []
        : [notFound(`${at}.volumeMounts[${i}].name`, mount.name)]),
      ...(mount.mountPath !== undefined && paths.indexOf(mount.mountPath) < i
        ? [fieldError.invalid(`${at}.volumeMounts[${i}].mountPath`, mount.mountPath, "must be unique")]
        : []),
      ...validateMount(mount, container, `${at}.volumeMounts[${i}]`),
    ]),
    ...volumeDevices.flatMap(({ name, devicePath }, i) => {
      const volume = declared.get(name);
      const place = `${at}.volumeDevices[${i}]`;
      if (name !== undefined && volume === undefined) return [notFound(`${place}.name`, name)];
      if (devicePath !== undefined && (devices.indexOf(devicePath) < i || paths.includes(devicePath))) {
        return [fieldError.invalid(`${place}.devicePath`, devicePath, "must be unique")];
      }
      return volume !== undefined && volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined
        ? [
            fieldError.invalid(
              `${place}.name`,
              name,
              "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
          ]
        : [];
    }),
  ];
}

function validateMount(mount: VolumeMount, container: Container, at: string): FieldError[] {
  const { subPath = "", subPathExpr = "" } = mount;
  const climbs = (path: string) => path.startsWith("/") || path.split("/").includes("..");
  return [
    ...(subPath !== "" && climbs(subPath)
      ? [
          fieldError.invalid(
            `${at}.subPath`,
            subPath,
            subPath.startsWith("/") ? "must be a relative path" : "must not contain '..'",
          ),
        ]
      : []),
    ...(subPath !== "" && subPathExpr !== ""
      ? [fieldError.invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive")]
      : []),
    ...(mount.mountPropagation === "Bidirectional" && container.securityContext?.privileged !== true
      ? [
          fieldError.forbidden(
            `${at}.mountPropagation`,
            "Bidirectional mount propagation is available only to privileged containers",
          ),
        ]
      : []),
    ...((mount.recursiveReadOnly ?? "Disabled") !== "Disabled" && mount.readOnly !== true
      ? [fieldError.forbidden(`${at}.recursiveReadOnly`, "may only be specified when readOnly is true")]
      : []),
  ];
}

const probeHandlers = ["exec", "httpGet", "tcpSocket", "grpc"] as const;
const lifecycleHandlers = ["exec", "httpGet", "tcpSocket", "sleep"] as const;

function validateHandler(handler: Handler, names: readonly (keyof Handler)[], at: string): FieldError[] {
  const given = names.filter((name) => handler[name] !== undefined);
  if (given.length === 0) return [fieldError.required(at, "must specify a handler type")];
  return given
    .slice(1)
    .map((name) => fieldError.forbidden(`${at}.${name}`, "may not specify more than 1 handler type"));
}

function validateProbes(container: Container, at: string): FieldError[] {
  const probes = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
  return probes.flatMap((name) => {
    const probe = container[name];
    return probe === undefined ? [] : validateProbe(probe, name, `${at}.${name}`);
  });
}

function validateProbe(probe: Probe, name: string, at: string): FieldError[] {
  const readiness = name === "readinessProbe";
  return [
    ...validateHandler(probe, probeHandlers, at),
    ...(!readiness && (probe.successThreshold ?? 1) !== 1
      ? [fieldError.invalid(`${at}.successThreshold`, probe.successThreshold, "must be 1")]
      : []),
    ...(readiness && probe.terminationGracePeriodSeconds !== undefined
      ? [
          fieldError.invalid(
            `${at}.terminationGracePeriodSeconds`,
            probe.terminationGracePeriodSeconds,
            "must not be set for readinessProbes",
          ),
        ]
      : []),
  ];
}

function validateHandlers(container: Container, at: string): FieldError[] {
  return (["postStart", "preStop"] as const).flatMap((name) => {
    const handler = container.lifecycle?.[name];
    return handler === undefined ? [] : validateHandler(handler, lifecycleHandlers, `${at}.lifecycle.${name}`);
  });
}

/** Init containers run to their end, but those that restart are sidecars and may be probed. */
function validateInit(container: Container, at: string): FieldError[] {
  if (container.restartPolicy !== undefined) {
    return container.restartPolicy === "Always"
      ? []
      : [fieldError.notSupported(`${at}.restartPolicy`, container.restartPolicy, ["Always"])];
  }
  const names = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;
  return names.flatMap((name) =>
    container[name] === undefined
      ? []
      : [fieldError.forbidden(`${at}.${name}`, "may not be set for init containers without restartPolicy=Always")],
  );
}

function validateHostPorts(spec: PodSpec, at: string): FieldError[] {
  const taken = new Set<string>();
  return (spec.containers ?? []).flatMap((container, c) =>
    (container.ports ?? []).flatMap((port, p) => {
      const place = `${at}.containers[${c}].ports[${p}]`;
      if (port.hostPort === undefined) return [];
      const key = `${port.protocol}/${port.hostIP ?? ""}/${port.hostPort}`;
      const repeats = taken.has(key);
      taken.add(key);
      return [
        ...(repeats ? [fieldError.duplicate(`${place}.hostPort`, key)] : []),
        ...(spec.hostNetwork === true && port.hostPort !== port.containerPort
          ? [
              fieldError.invalid(
                `${place}.containerPort`,
                port.containerPort,
                "must match `hostPort` when `hostNetwork` is true",
              ),
            ]
          : []),
      ];
    }),
  );
}
