import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiObject } from "@orch/client/objects.js";
import { type Process, portOf, startProcess } from "@orch/deploy/process.js";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { root } from "../command-line-program.js";
import { mountsOf, podsOf, programOf, type RenderedPod, textsAt } from "./rendered.js";

export interface PodProcess {
  /** Of its Deployment: `orch-watch-cache`. */
  readonly name: string;
  readonly process: Process;
  /** Its folder; what it keeps is in `data`. */
  readonly home: string;
}

export interface PodCluster {
  readonly pods: readonly PodProcess[];
  /** Arguments of a rendered program, with what they name where it is here. */
  here(pod: RenderedPod): Promise<{ readonly args: readonly string[]; readonly home: string }>;
  stop(): Promise<void>;
}

export interface PodClusterOptions {
  readonly objects: readonly ApiObject[];
  /** Where `orch certificates` has put its bundles. */
  readonly bundles: string;
  readonly folder: string;
  /** Texts of arguments and files that are others here. */
  readonly replaced: Readonly<Record<string, string>>;
}

/** In this order each finds whom it needs to start; the others wait. */
const order = [
  "admission",
  "kms",
  "audit",
  "resource",
  "watch-cache",
  "gateway",
  "controller-manager",
  "scheduler",
  "node-simulator",
];

/**
 * Runs the pods of Deployments and StatefulSets as processes of this machine: the same programs, arguments and files. What
 * a cluster gives a pod is put in: each its own ports on loopback, the addresses of a Service in the place of its name, folders in
 * the place of mounts.
 */
export async function startPods(options: PodClusterOptions): Promise<PodCluster> {
  const { objects, folder } = options;
  const pods = podsOf(objects).filter(({ object }) => ["Deployment", "StatefulSet"].includes(object.kind ?? ""));
  const own = pods.filter((pod) => programOf(pod) !== undefined);
  const ranked = own.toSorted((a, b) => rankOf(a) - rankOf(b));
  const ports = await portsFor(ranked);
  const started: PodProcess[] = [];
  let turn = 0;

  /** `core=NAME:9001` → one for each of the name's pods. */
  const spread = (item: string): readonly string[] => {
    for (const [name, pods] of ports) {
      const host = `${name}.orch.svc.cluster.local`;
      if (item.includes(`${host}:9001`)) return pods.map(({ rpc }) => item.replace(`${host}:9001`, `127.0.0.1:${rpc}`));
      const [first] = pods;
      if (item.includes(`${host}:443`) && first !== undefined)
        return [item.replace(`${host}:443`, `127.0.0.1:${first.https}`)];
    }
    return [item];
  };
  const local = (text: string): string => {
    const replaced = Object.entries(options.replaced).reduce((done, [from, to]) => done.replaceAll(from, to), text);
    return replaced
      .split(/(?<=[\s",]|^--[a-z-]+=)/)
      .map((item) => spread(item.replace(/,$/, "")).join(",") + (item.endsWith(",") ? "," : ""))
      .join("");
  };
  const here: PodCluster["here"] = async (pod) => {
    const home = join(folder, `${pod.object.metadata.name}-${turn++}`);
    await mkdir(join(home, "data"), { recursive: true });
    for (const mount of mountsOf(pod)) {
      const at = join(home, mount.folder);
      if (mount.secret !== "") await symlink(join(options.bundles, mount.secret.replace(/^orch-/, "")), at);
      const map = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === mount.configMap);
      if (map === undefined) continue;
      await mkdir(at);
      for (const [file, text] of Object.entries(textsAt(map, "data"))) {
        await writeFile(join(at, file), local(text).replaceAll("/etc/orch/", `${home}/`));
      }
    }
    const args = (programOf(pod)?.args ?? []).map((arg) =>
      local(arg).replaceAll("/etc/orch/", `${home}/`).replace("/var/lib/orch", join(home, "data")),
    );
    return { args, home };
  };
  const start = async (pod: RenderedPod, replica: number): Promise<void> => {
    const name = pod.object.metadata.name ?? "";
    const { program = "" } = programOf(pod) ?? {};
    const port = ports.get(name)?.[replica] ?? { rpc: 0, https: 0 };
    const { args: rendered, home } = await here(pod);
    const args = rendered
      .map((arg) => arg.replace(/^--bind-address=.*/, "--bind-address=127.0.0.1"))
      .map((arg) => arg.replace(/^--rpc-port=.*/, `--rpc-port=${port.rpc}`))
      .map((arg) => arg.replace(/^--secure-port=.*/, `--secure-port=${port.https}`))
      .map((arg) => arg.replace(/^--metrics-port=.*/, "--metrics-port=0"))
      .map((arg) => arg.replace(/^--shutdown-delay-duration=.*/, "--shutdown-delay-duration=1s"));
    const process = await startProcess({
      name: `${name}-${replica}`,
      script: join(root, "services", program, "dist/main.js"),
      args,
      sameAgain: ({ metrics }) => (metrics === undefined ? [] : [`--metrics-port=${portOf(metrics)}`]),
    });
    started.push({ name, process, home });
  };
  const stop = async (): Promise<void> => {
    for (const { process } of started.toReversed()) await process.stop();
  };
  try {
    for (const pod of ranked) {
      await Promise.all(Array.from({ length: pod.replicas }, (_, replica) => start(pod, replica)));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  // The first gateway is the one that a Service leads to.
  return { pods: started.toSorted((a, b) => (a.process.name < b.process.name ? -1 : 1)), here, stop };
}

const rankOf = (pod: RenderedPod): number => order.indexOf(programOf(pod)?.program ?? "");

interface PodPorts {
  readonly rpc: number;
  readonly https: number;
}

/** For each replica of each pod, by the pod's name: others must know them before it starts. */
async function portsFor(pods: readonly RenderedPod[]): Promise<ReadonlyMap<string, readonly PodPorts[]>> {
  const count = pods.reduce((sum, { replicas }) => sum + replicas, 0);
  const free = [...(await freePorts(2 * count))];
  const take = (): PodPorts => ({ rpc: free.pop() ?? 0, https: free.pop() ?? 0 });
  return new Map(
    pods.map(({ object, replicas }) => [object.metadata.name ?? "", Array.from({ length: replicas }, take)]),
  );
}
