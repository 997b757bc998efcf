import { defaultClaimSpec } from "../claim-spec.js";
import { type Resources, rounded } from "../resources.js";
import { imageVersion } from "./image-reference.js";
import type { Container, PodSpec } from "./types.js";
import type { Volume } from "./volume/volume-types.js";

/** Defaults of a pod's spec that depend on other fields; they hold for templates too. Literal ones are data. */
export function defaultPodSpec(given: PodSpec): PodSpec {
  const spec = withAccountAlias(given);
  return {
    ...spec,
    ...(spec.volumes === undefined ? {} : { volumes: spec.volumes.map(defaultVolume) }),
    ...withContainers(spec, defaultContainer),
    ...(spec.overhead === undefined ? {} : { overhead: rounded(spec.overhead) }),
  };
}

/** Defaults of pods and not of templates: what a template leaves open is settled when its pods are made. */
export function defaultPodOnly(spec: PodSpec): PodSpec {
  const { ephemeralContainers: _, ...others } = spec;
  const settled = (container: Container) => {
    const asking = requestLimits(container);
    return spec.hostNetwork === true ? withHostPorts(asking) : asking;
  };
  return {
    ...spec,
    enableServiceLinks: spec.enableServiceLinks ?? true,
    // What a template says is left to its pods.
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0 ? { terminationGracePeriodSeconds: 1 } : {}),
    ...withContainers(others, settled),
  };
}

function withContainers(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  const { containers, initContainers, ephemeralContainers } = spec;
  return {
    ...(containers === undefined ? {} : { containers: containers.map(change) }),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(change) }),
    ...(ephemeralContainers === undefined ? {} : { ephemeralContainers: ephemeralContainers.map(change) }),
  };
}

/** `serviceAccount` is the old name of `serviceAccountName`: read when the new one is empty, always written. */
function withAccountAlias(spec: PodSpec): PodSpec {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  return name === undefined ? spec : { ...spec, serviceAccountName: name, serviceAccount: name };
}

function defaultVolume(volume: Volume): Volume {
  const { image } = volume;
  if (image !== undefined) {
    return { ...volume, image: { ...image, pullPolicy: image.pullPolicy ?? pullPolicy(image.reference ?? "") } };
  }
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template?.spec !== undefined) {
    const volumeClaimTemplate = { ...template, spec: defaultClaimSpec(template.spec) };
    return { ...volume, ephemeral: { ...volume.ephemeral, volumeClaimTemplate } };
  }
  return Object.keys(volume).some((key) => key !== "name") ? volume : { ...volume, emptyDir: {} };
}

function defaultContainer(container: Container): Container {
  const { resources } = container;
  const limits = resources?.limits === undefined ? undefined : rounded(resources.limits);
  const requests = resources?.requests === undefined ? undefined : rounded(resources.requests);
  const amounts = { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) };
  return {
    ...container,
    imagePullPolicy: container.imagePullPolicy ?? pullPolicy(container.image ?? ""),
    ...(resources === undefined ? {} : { resources: { ...resources, ...amounts } }),
  };
}

/** `latest`, and what names neither tag nor digest, is pulled every time; what names no image never is. */
export function pullPolicy(image: string): "Always" | "IfNotPresent" {
  return imageVersion(image)?.tag === "latest" ? "Always" : "IfNotPresent";
}

/** On the network of its host a port of a container is one of the host's. */
function withHostPorts(container: Container): Container {
  const { ports } = container;
  if (ports === undefined) return container;
  return {
    ...container,
    ports: ports.map(({ hostPort, ...port }) => {
      const taken = hostPort ?? port.containerPort;
      return taken === undefined ? port : { ...port, hostPort: taken };
    }),
  };
}

/** What has a limit and no request asks for its limit. */
function requestLimits(container: Container): Container {
  const limits: Resources = container.resources?.limits ?? {};
  const requests: Resources = container.resources?.requests ?? {};
  const missing = Object.keys(limits).filter((name) => !Object.hasOwn(requests, name));
  if (missing.length === 0) return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}
