import { readFile, writeFile } from "node:fs/promises";
import { request as requestPlainly } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { until } from "../harness/until.js";
import { startPatienceMs } from "./administration.js";
import type { Engine } from "./engine.js";
import type { PlayablePod } from "./playable-pods.js";

/** Pods that `podman kube play` has brought up in a network of their own. */
export interface PlayedPods {
  readonly pods: readonly PlayedPod[];
  /** Plays one more and waits for its end; its exit code and what it wrote. */
  finish(pod: PlayablePod): Promise<{ readonly code: number; readonly log: string }>;
  log(): string;
  /** Takes down what was played. */
  down(): Promise<void>;
}

export interface PlayedPod {
  readonly name: string;
  readonly workload: string;
  /** In the network of the pods. */
  readonly address: string;
  readonly containers: readonly PlayedContainer[];
}

export interface PlayedContainer {
  readonly name: string;
  readonly readOnly: boolean;
  /** What the kernel says of its process: `Uid`, `CapBnd`, `NoNewPrivs`, … */
  status(): Promise<ReadonlyMap<string, string>>;
}

const network = "played";

/** @throws Error with what podman wrote, or which pod does not become ready */
export async function playPods(engine: Engine, pods: readonly PlayablePod[]): Promise<PlayedPods> {
  const files: string[] = [];
  const play = async ({ name, documents, aliases }: PlayablePod): Promise<void> => {
    const file = join(engine.folder, `${name}.yaml`);
    await writeFile(file, documents.map((document) => JSON.stringify(document)).join("\n---\n"));
    const joined = aliases.map((alias) => `alias=${alias}`).join();
    files.push(file);
    await engine.podman("kube", "play", "--network", joined === "" ? network : `${network}:${joined}`, file);
  };
  const down = async (): Promise<void> => {
    const outcomes = await Promise.allSettled(files.splice(0).map((file) => engine.podman("kube", "down", file)));
    await engine.podman("volume", "prune", "--force");
    // With what could not be taken down: the next try wants the name.
    await engine.podman("network", "rm", "--force", network);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
  let played: readonly PlayedPod[] = [];
  const log = (): string => engine.logs(played.flatMap(({ containers }) => containers.map(({ name }) => name)));
  await engine.podman("network", "create", network);
  try {
    for (const pod of pods) await play(pod);
    played = await Promise.all(pods.map(({ name, workload }) => playedPod(engine, { name, workload })));
    for (const [i, { name, readiness }] of pods.entries()) {
      const host = played[i]?.address ?? "";
      if (readiness === undefined) continue;
      await until(`${name} is ready`, () => isReady({ host, ...readiness }), startPatienceMs);
    }
  } catch (error) {
    const text = log();
    await down().catch(() => {});
    throw new Error(`${error}\n${text}`, { cause: error });
  }
  return {
    pods: played,
    log,
    down,
    async finish(pod) {
      await play(pod);
      const [container] = (await playedPod(engine, pod)).containers;
      const name = container?.name ?? "";
      const code = Number(await engine.podman("wait", name));
      return { code, log: await engine.podman("logs", name) };
    },
  };
}

interface Probe {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly secure: boolean;
}

/** As a kubelet asks: any certificate will do. */
function isReady({ secure, ...address }: Probe): Promise<true | undefined> {
  return new Promise((resolve) => {
    const options = { ...address, agent: false, rejectUnauthorized: false, timeout: 5_000 };
    const sent = (secure ? request : requestPlainly)(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? true : undefined);
    });
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve(undefined)).end();
  });
}

/** What `podman pod inspect` prints, as far as it is looked at. */
interface InspectedPod {
  readonly InfraContainerID: string;
  readonly Containers: readonly { readonly Id: string; readonly Name: string }[];
}

/** What `podman inspect` prints of containers. */
interface Inspected {
  readonly Id: string;
  readonly Name: string;
  readonly HostConfig: { readonly ReadonlyRootfs: boolean };
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>> };
}

async function playedPod(engine: Engine, { name, workload }: Pick<PlayedPod, "name" | "workload">): Promise<PlayedPod> {
  const pod: InspectedPod = JSON.parse(await engine.podman("pod", "inspect", name));
  const ids = pod.Containers.map(({ Id }) => Id);
  const inspected: readonly Inspected[] = JSON.parse(await engine.podman("inspect", ...ids));
  const infra = inspected.find(({ Id }) => Id === pod.InfraContainerID);
  const containers = inspected.filter((one) => one !== infra);
  return {
    name,
    workload,
    address: infra?.NetworkSettings.Networks[network]?.IPAddress ?? "",
    containers: containers.map(({ Id, Name, HostConfig }) => ({
      name: Name,
      readOnly: HostConfig.ReadonlyRootfs,
      async status() {
        // It may have been started again since.
        const pid = (await engine.podman("inspect", "--format", "{{.State.Pid}}", Id)).trim();
        const text = await readFile(`/proc/${pid}/status`, "utf8");
        const lines = text.split("\n").map((line) => line.split(":\t", 2));
        return new Map(lines.map(([key = "", value = ""]) => [key, value]));
      },
    })),
  };
}
