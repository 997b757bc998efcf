import { type Resources, rounded } from "../resources.js";
import type { Container, PodSpec, Volume } from "./types.js";

/** Defaults of a pod's spec that depend on other fields; they hold for templates too. Literal ones are data. */
export function defaultPodSpec(given: PodSpec): PodSpec {
  const spec = withAccountAlias(given);
  const container = (c: Container): Container => defaultContainer(c, spec.hostNetwork === true);
  return {
    ...spec,
    ...(spec.volumes === undefined ? {} : { volumes: spec.volumes.map(withSource) }),
    ...(spec.containers === undefined ? {} : { containers: spec.containers.map(container) }),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(container) }),
    ...(spec.ephemeralContainers === undefined
      ? {}
      : { ephemeralContainers: spec.ephemeralContainers.map((c) => defaultContainer(c, false)) }),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0 ? { terminationGracePeriodSeconds: 1 } : {}),
  };
}

/** `serviceAccount` is the old name of `serviceAccountName`: read when the new one is empty, always written. */
function withAccountAlias(spec: PodSpec): PodSpec {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  return name === undefined ? spec : { ...spec, serviceAccountName: name, serviceAccount: name };
}

function withSource(volume: Volume): Volume {
  const sources = Object.keys(volume).filter((key) => key !== "name");
  return sources.length > 0 ? volume : ({ ...volume, emptyDir: {} } as Volume);
}

function defaultContainer(container: Container, hostNetwork: boolean): Container {
  const { resources } = container;
  const limits = resources?.limits === undefined ? undefined : rounded(resources.limits);
  const requests = resources?.requests === undefined ? undefined : rounded(resources.requests);
  const amounts = { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) };
  return {
    ...container,
    imagePullPolicy: container.imagePullPolicy ?? pullPolicy(container.image ?? ""),
    ...(resources === undefined ? {} : { resources: { ...resources, ...amounts } }),
    ...(container.ports === undefined || !hostNetwork
      ? {}
      : { ports: container.ports.map((p) => ({ ...p, hostPort: p.hostPort ?? p.containerPort })) }),
  };
}

/** `latest`, and what names neither tag nor digest, is pulled every time. */
export function pullPolicy(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent";
  const name = image.slice(image.lastIndexOf("/") + 1);
  const tag = name.includes(":") ? name.slice(name.indexOf(":") + 1) : "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

/** In pods, not in templates: what has a limit and no request asks for its limit. */
export function requestLimits(container: Container): Container {
  const limits: Resources = container.resources?.limits ?? {};
  const requests: Resources = container.resources?.requests ?? {};
  const missing = Object.keys(limits).filter((name) => !Object.hasOwn(requests, name));
  if (missing.length === 0) return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}
