import { type ApiObject, isApiObject, isRecord } from "@orch/client/objects.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";

/** Reads the documents that Helm prints. @throws Error for one that is no object */
export function readObjects(text: string): readonly ApiObject[] {
  return text.split(/^---$/m).flatMap((document) => {
    if (document.trim() === "") return [];
    const read = parseYaml(Buffer.from(document));
    if (!read.ok) throw new Error(`${document.slice(0, 200)}: no YAML`);
    if (read.value === null || read.value === undefined) return [];
    if (!isApiObject(read.value)) throw new Error(`no object: ${document.slice(0, 200)}`);
    return [read.value];
  });
}

/** The value at a dotted path; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const step of path.split(".")) {
    if (Array.isArray(at)) at = at[Number(step)];
    else at = isRecord(at) ? at[step] : undefined;
  }
  return at;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, path: string): string {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : "";
}

export function textsAt(value: unknown, path: string): Readonly<Record<string, string>> {
  const found = valueAt(value, path);
  if (!isRecord(found)) return {};
  return Object.fromEntries(Object.entries(found).map(([key, text]) => [key, String(text)]));
}

/** A pod that an object makes, or is. */
export interface RenderedPod {
  readonly object: ApiObject;
  /** As a Pod: metadata and spec. */
  readonly pod: ApiObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
}

const templates: Readonly<Record<string, string>> = {
  Deployment: "spec.template",
  StatefulSet: "spec.template",
  Job: "spec.template",
  CronJob: "spec.jobTemplate.spec.template",
};

/** Every pod that objects make. */
export function podsOf(objects: readonly ApiObject[]): readonly RenderedPod[] {
  return objects.flatMap((object) => {
    const { kind = "", metadata } = object;
    const path = templates[kind];
    const template = path === undefined ? (kind === "Pod" ? object : undefined) : valueAt(object, path);
    if (!isApiObject(template)) return [];
    const spec = Object(template["spec"]);
    // As the controller of StatefulSets fills them in.
    const claims = listAt(object, "spec.volumeClaimTemplates").map((claim) => {
      const name = textAt(claim, "metadata.name");
      return { name, persistentVolumeClaim: { claimName: `${name}-${metadata.name}-0` } };
    });
    const volumes = [...listAt(spec, "volumes"), ...claims];
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...template.metadata, name: metadata.name ?? "" },
      spec: { ...spec, volumes },
    };
    const replicas = valueAt(object, "spec.replicas");
    const labels = textsAt(template, "metadata.labels");
    return [{ object, pod, labels, replicas: typeof replicas === "number" ? replicas : 1 }];
  });
}

/** The one container whose image is ours, with the name of its program: `gateway` of `orch-gateway:1.0`. */
export function programOf({
  pod,
}: RenderedPod): { readonly program: string; readonly args: readonly string[] } | undefined {
  for (const container of listAt(pod, "spec.containers")) {
    const [, program] = /(?:^|\/)orch-([a-z-]+):/.exec(textAt(container, "image")) ?? [];
    if (program !== undefined) return { program, args: listAt(container, "args").map(String) };
  }
  return undefined;
}

/** What is mounted below `/etc/orch`: a folder's name with its Secret or ConfigMap. */
export interface Mount {
  readonly folder: string;
  readonly secret: string;
  readonly configMap: string;
  /** The files that it shows; all where empty. */
  readonly keys: readonly string[];
}

export function mountsOf({ pod }: RenderedPod): readonly Mount[] {
  const volumes = listAt(pod, "spec.volumes");
  return listAt(pod, "spec.containers.0.volumeMounts").flatMap((mount) => {
    const [, folder] = /^\/etc\/orch\/(.+)$/.exec(textAt(mount, "mountPath")) ?? [];
    const volume = volumes.find((one) => textAt(one, "name") === textAt(mount, "name"));
    if (folder === undefined) return [];
    const keys = listAt(volume, "secret.items").map((item) => textAt(item, "key"));
    return [{ folder, secret: textAt(volume, "secret.secretName"), configMap: textAt(volume, "configMap.name"), keys }];
  });
}
