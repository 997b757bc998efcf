import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiObject } from "@orch/client/objects.js";
import { listAt, type RenderedPod, textAt, textsAt, valueAt } from "../helm/rendered.js";

/** A pod as `podman kube play` takes it. */
export interface PlayablePod {
  readonly name: string;
  /** Of what it belongs to: `orch-gateway`. */
  readonly workload: string;
  /** Its files as ConfigMaps, then itself. */
  readonly documents: readonly object[];
  /** Names that a cluster's DNS has for it. */
  readonly aliases: readonly string[];
  /** How a kubelet would ask whether it is ready; podman does not. */
  readonly readiness: { readonly path: string; readonly port: number; readonly secure: boolean } | undefined;
}

export interface PlayOptions {
  /** All that the chart has rendered. */
  readonly objects: readonly ApiObject[];
  /** Where `orch certificates` has put its bundles, by the names of their Secrets without `orch-`. */
  readonly bundles: string;
  /** Which of its workload's pods it is. */
  readonly replica: number;
  /** The port of this machine by which its port `https` is reached; none where absent. */
  readonly hostPort?: number | undefined;
}

const probes: ReadonlySet<string> = new Set(["startupProbe", "livenessProbe", "readinessProbe"]);

/**
 * Says for one pod what a cluster would add: its name, the names by which Services lead to it, its files. Its containers stay as they
 * are rendered, but for probes, which podman would run with curl inside of them.
 */
export async function playable(rendered: RenderedPod, options: PlayOptions): Promise<PlayablePod> {
  const { pod, object, labels } = rendered;
  const workload = object.metadata.name ?? "";
  const name = object.kind === "Pod" ? workload : `${workload}-${options.replica}`;
  const volumes = listAt(pod, "spec.volumes");
  // Of two pods' volumes of one name podman makes one.
  const own = (volume: unknown): string => `${name}-${textAt(volume, "name")}`;
  const files = await Promise.all(
    volumes.map(async (volume) => {
      const data = await filesOf(volume, options);
      const metadata = { name: own(volume) };
      return data === undefined ? [] : [{ apiVersion: "v1", kind: "ConfigMap", metadata, data }];
    }),
  );
  const containers = listAt(pod, "spec.containers").map((container) => ({
    ...without(container, probes),
    args: listAt(container, "args").map((arg) => String(arg).replaceAll("$(POD_NAME)", name)),
    volumeMounts: listAt(container, "volumeMounts").map((mount) => ({ ...Object(mount), name: own(mount) })),
    // podman makes every port that is named one of this machine.
    ports: listAt(container, "ports").flatMap((port) => {
      const isReached = options.hostPort !== undefined && textAt(port, "name") === "https";
      return isReached ? [{ ...Object(port), hostIP: "127.0.0.1", hostPort: options.hostPort }] : [];
    }),
  }));
  const played = {
    apiVersion: "v1",
    kind: "Pod",
    // It takes no annotation of more than 63 characters.
    metadata: { name, labels },
    spec: { ...Object(pod["spec"]), containers, volumes: volumes.map((volume) => volumeOf(volume, own(volume))) },
  };
  const aliases = aliasesOf({ name, labels, serviceName: textAt(object, "spec.serviceName") }, options.objects);
  return { name, workload, documents: [...files.flat(), played], aliases, readiness: readinessOf(pod) };
}

function without(value: unknown, keys: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(Object(value)).filter(([key]) => !keys.has(key)));
}

/** Texts of a volume that shows files; undefined for any other. */
async function filesOf(
  volume: unknown,
  { objects, bundles }: PlayOptions,
): Promise<Readonly<Record<string, string>> | undefined> {
  const map = textAt(volume, "configMap.name");
  if (map !== "") {
    const found = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === map);
    return textsAt(found, "data");
  }
  const secret = textAt(volume, "secret.secretName");
  if (secret === "") return undefined;
  const folder = join(bundles, secret.replace(/^orch-/, ""));
  const keys = listAt(volume, "secret.items").map((item) => textAt(item, "key"));
  const shown = keys.length === 0 ? await readdir(folder) : keys;
  return Object.fromEntries(
    await Promise.all(shown.map(async (key) => [key, await readFile(join(folder, key), "utf8")] as const)),
  );
}

/** Files come as a ConfigMap, a Secret's too: what podman makes of a Secret differs from release to release. */
function volumeOf(volume: unknown, name: string): object {
  if (valueAt(volume, "emptyDir") !== undefined) return { name, emptyDir: {} };
  if (valueAt(volume, "persistentVolumeClaim") !== undefined)
    return { name, persistentVolumeClaim: { claimName: name } };
  return { name, configMap: { name } };
}

interface Named {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of its StatefulSet; empty for any other. */
  readonly serviceName: string;
}

function aliasesOf({ name, labels, serviceName }: Named, objects: readonly ApiObject[]): readonly string[] {
  return objects.flatMap((service) => {
    if (service.kind !== "Service") return [];
    const selector = Object.entries(textsAt(service, "spec.selector"));
    if (!selector.every(([key, value]) => labels[key] === value)) return [];
    const host = `${service.metadata.name}.${service.metadata.namespace}.svc.cluster.local`;
    return service.metadata.name === serviceName ? [host, `${name}.${host}`] : [host];
  });
}

function readinessOf(pod: ApiObject): PlayablePod["readiness"] {
  const container = valueAt(pod, "spec.containers.0");
  const probe = valueAt(container, "readinessProbe.httpGet");
  if (probe === undefined) return undefined;
  const named = listAt(container, "ports").find((port) => textAt(port, "name") === textAt(probe, "port"));
  const port = Number(valueAt(named, "containerPort"));
  return { path: textAt(probe, "path"), port, secure: textAt(probe, "scheme") === "HTTPS" };
}
