import type { Naming } from "@orch/naming/naming.js";
import { portName } from "@orch/schema/formats/names.js";
import { errorsOfEach } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { notFound } from "../../shared/problems.js";
import { repeatsIn } from "../../shared/repeats.js";
import { validateRequirements } from "../requirements.js";
import { validateEnv, validateEnvFrom } from "./env.js";
import { each, oneOf } from "./errors.js";
import { validateProbesAndHooks } from "./probes.js";
import { validateResizePolicy } from "./resize-policy.js";
import { validateSecurity } from "./security/security.js";
import type { Container, ContainerPort, PodSpec } from "./types.js";
import { containersOf, namesIn } from "./types.js";
import { validateMounts } from "./volume/mounts.js";
import type { Volume } from "./volume/volume-types.js";

/** Everything about the containers of a pod that depends on several fields; `at` is the spec's path. */
export function validateContainers(spec: PodSpec, at: string, world: World): FieldError[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const repeats = repeatsIn(containersOf(spec).map((c) => c.container.name));
  const common = (container: Container, position: number, place: string): FieldError[] => [
    ...validateContainer(container, spec, { ...world, at: place }),
    ...(container.name !== undefined && repeats.has(position)
      ? [fieldError.duplicate(`${place}.name`, container.name)]
      : []),
  ];
  return [
    ...each(containers, `${at}.containers`, (c, place, i) => {
      return [
        ...common(c, i, place),
        ...validateProbesAndHooks(c, grace, place),
        ...(c.restartPolicy === undefined
          ? []
          : [fieldError.forbidden(`${place}.restartPolicy`, "may not be set for non-init containers")]),
      ];
    }),
    ...validateHostPorts(containers.map((container, i) => ({ container, at: `${at}.containers[${i}]` }))),
    ...each(initContainers, `${at}.initContainers`, (c, place, i) => {
      return [
        ...common(c, containers.length + i, place),
        ...validateInit(c, grace, place),
        // They run one by one.
        ...validateHostPorts([{ container: c, at: place }]),
      ];
    }),
    ...each(ephemeralContainers, `${at}.ephemeralContainers`, (c, place, i) => {
      return [
        ...common(c, containers.length + initContainers.length + i, place),
        ...validateImage(c, place),
        ...validateEphemeral(c, spec, place),
      ];
    }),
  ];
}

interface World {
  readonly naming: Naming;
  /** Those that can be mounted. */
  readonly volumes: ReadonlyMap<string, Volume>;
}

interface Place extends World {
  readonly at: string;
}

/** What holds for every kind of container. */
function validateContainer(container: Container, spec: PodSpec, { naming, volumes, at }: Place): FieldError[] {
  const { claims } = namesIn(spec);
  return [
    ...validatePorts(container.ports ?? [], `${at}.ports`),
    ...validateEnv(container.env, `${at}.env`),
    ...validateEnvFrom(container.envFrom, `${at}.envFrom`),
    ...validateMounts(container, volumes, at),
    ...validateRequirements(container.resources ?? {}, `${at}.resources`, { naming, claims }),
    ...validateResizePolicy(container.resizePolicy, spec, `${at}.resizePolicy`),
    ...validateSecurity(container.securityContext, spec, `${at}.securityContext`),
  ];
}

/** In pods, not in templates: there an image of blanks may be a token for what makes the pod. */
export function validateImages(spec: PodSpec, at: string): FieldError[] {
  return containersOf(spec, ["containers", "initContainers"]).flatMap((c) =>
    validateImage(c.container, `${at}.${c.at}`),
  );
}

function validateImage({ image = "" }: Container, at: string): FieldError[] {
  return image.trim() === image
    ? []
    : [fieldError.invalid(`${at}.image`, image, "must not have leading or trailing whitespace")];
}

function validatePorts(ports: readonly ContainerPort[], at: string): FieldError[] {
  const repeats = repeatsIn(ports.map((p) => p.name));
  return ports.flatMap(({ name }, i) =>
    name !== undefined && repeats.has(i) && portName(name).length === 0
      ? [fieldError.duplicate(`${at}[${i}].name`, name)]
      : [],
  );
}

/** Init containers run to their end, but those that restart are sidecars: probed and hooked. */
function validateInit(container: Container, grace: number, at: string): FieldError[] {
  const resizes = (container.resizePolicy ?? []).length > 0;
  return [
    ...oneOf(`${at}.restartPolicy`, container.restartPolicy, ["Always"]),
    ...(container.restartPolicy === "Always"
      ? validateProbesAndHooks(container, grace, at)
      : (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const)
          .filter((name) => container[name] !== undefined)
          .map((name) =>
            fieldError.forbidden(`${at}.${name}`, "may not be set for init containers without restartPolicy=Always"),
          )),
    ...(resizes
      ? [fieldError.invalid(`${at}.resizePolicy`, container.resizePolicy, "must not be set for init containers")]
      : []),
  ];
}

const refusedWhenEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

/** Containers for debugging: nothing of what a pod relies on. */
function validateEphemeral(container: Container, spec: PodSpec, at: string): FieldError[] {
  const { targetContainerName: target = "" } = container;
  const refused = (place: string) => fieldError.forbidden(place, "cannot be set for an Ephemeral Container");
  return [
    ...(target === "" || namesIn(spec).lastingContainers.has(target)
      ? []
      : [notFound(`${at}.targetContainerName`, target)]),
    ...refusedWhenEphemeral.filter((name) => isSet(container[name])).map((name) => refused(`${at}.${name}`)),
    ...each(container.volumeMounts, `${at}.volumeMounts`, ({ subPath = "", subPathExpr = "" }, place) => [
      ...(subPath === "" ? [] : [refused(`${place}.subPath`)]),
      ...(subPathExpr === "" ? [] : [refused(`${place}.subPathExpr`)]),
    ]),
  ];
}

/** Every container has resources, by default none. */
function isSet(value: object | string | undefined): boolean {
  return value !== undefined && (typeof value === "string" || Object.keys(value).length > 0);
}

interface Placed {
  readonly container: Container;
  readonly at: string;
}

/** A port of the host is taken once. */
function validateHostPorts(containers: readonly Placed[]): FieldError[] {
  const taken = new Set<string>();
  return errorsOfEach(containers, ({ container, at }) =>
    each(container.ports, `${at}.ports`, (port, place) => {
      if ((port.hostPort ?? 0) === 0) return [];
      const key = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${port.hostPort}`;
      const repeats = taken.has(key);
      taken.add(key);
      return repeats ? [fieldError.duplicate(`${place}.hostPort`, key)] : [];
    }),
  );
}
