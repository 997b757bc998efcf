import { printYaml } from "@orch/codec/yaml/yaml.js";
import { type Component, unitName } from "../machine/paths.js";
import type { Site } from "../site.js";

export interface Probe {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly scheme: "HTTP" | "HTTPS";
}

export interface Volume {
  readonly name: string;
  readonly hostPath: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
  readonly pathType: string;
}

export interface UnitPod {
  readonly component: Component;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly probe: Probe;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly volumes: readonly Volume[];
}

/** The manifest of a unit: a pod as a node's agent takes it from a folder, and as the runners here read it. */
export function podOf(pod: UnitPod, { tools: { naming } }: Pick<Site, "tools">) {
  const name = unitName(naming, pod.component);
  const { host, port, path, scheme } = pod.probe;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(pod.annotations === undefined ? {} : { annotations: pod.annotations }),
      labels: { component: name, tier: "control-plane" },
      ...{ name, namespace: naming.systemName("system") },
    },
    spec: {
      containers: [
        {
          ...{ command: pod.command, image: pod.image, imagePullPolicy: "IfNotPresent", name },
          ...(pod.env.length === 0 ? {} : { env: pod.env }),
          livenessProbe: {
            failureThreshold: 8,
            httpGet: { host, path, port, scheme },
            ...{ initialDelaySeconds: 10, periodSeconds: 10, timeoutSeconds: 15 },
          },
          volumeMounts: pod.volumes.map(({ name, mountPath, readOnly }) => ({
            mountPath,
            name,
            ...(readOnly ? { readOnly } : {}),
          })),
        },
      ],
      hostNetwork: true,
      priorityClassName: "system-node-critical",
      volumes: pod.volumes.map(({ name, hostPath, pathType }) => ({
        hostPath: { path: hostPath, ...(pathType === "" ? {} : { type: pathType }) },
        name,
      })),
    },
  };
}

export const printManifest = (pod: unknown): string => printYaml(pod);
