import { join } from "node:path";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import { createNaming } from "@orch/naming/naming.js";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { e2eFolder, execute } from "../clients/program.js";
import { preparePackages } from "../clients/python-program.js";
import { quietControllers, type Target } from "../harness/target.js";
import { until } from "../harness/until.js";
import { administered, isReady, startPatienceMs } from "./administration.js";
import type { Engine } from "./engine.js";
import { buildImages } from "./images.js";
import {
  kafkaImage,
  makeKafkaImage,
  makePrometheusImage,
  makeServersImage,
  prometheusImage,
  serversImage,
} from "./stand-ins.js";

/** docker-compose.yml, brought up by podman-compose. */
export interface Project {
  readonly target: Target;
  /** For the administrator, through the balancer. */
  readonly client: Client;
  /** Services whose containers run. */
  readonly services: readonly string[];
  /** Where Prometheus answers, if it is brought up. */
  readonly prometheus: string | undefined;
  /** What podman tells of a service's container. */
  inspect(service: string): Promise<ContainerState>;
  /** Ends the container's process as a crash would. */
  crash(service: string): Promise<void>;
  /** The folder of a volume on this machine. */
  volume(name: string): Promise<string>;
  down(): Promise<void>;
}

export interface ContainerState {
  readonly running: boolean;
  readonly pid: number;
  readonly user: string;
  readonly readOnly: boolean;
  readonly environment: readonly string[];
}

const root = join(e2eFolder, "..");
const name = "orchtest";
/** All but Kafka and Prometheus, whose stand-ins are large. Without them audit events wait in the spool. */
const services: readonly string[] = [
  ...["etcd", "redis", "kms", "admission", "watch-cache-1", "watch-cache-2", "resource-core", "resource-others"],
  ...["audit", "gateway-1", "gateway-2", "balancer", "controller-manager"],
];

/** Builds the images and brings the services up. @throws Error with what the builder or podman-compose wrote */
export async function startProject(engine: Engine, { isWhole }: { readonly isWhole: boolean }): Promise<Project> {
  const [port = 0, prometheusPort = 0] = await freePorts(2);
  await Promise.all([buildImages(engine), makeServersImage(engine)]);
  if (isWhole) await Promise.all([makeKafkaImage(engine), makePrometheusImage(engine)]);
  const wanted = isWhole ? ["kafka", ...services, "prometheus"] : services;
  const packages = await preparePackages(join(e2eFolder, "clients/compose/requirements.txt"));
  if ("missing" in packages) throw new Error(packages.missing);
  const environment = {
    ...engine.environment,
    ...{ ETCD_IMAGE: serversImage, HAPROXY_IMAGE: serversImage, REDIS_IMAGE: serversImage },
    ...{ KAFKA_IMAGE: kafkaImage, PROMETHEUS_IMAGE: prometheusImage, PROMETHEUS_PORT: String(prometheusPort) },
    ORCH_PORT: String(port),
    // Those that write what tests of the suite look at do not run.
    ORCH_CONTROLLERS: quietControllers().join().replace("--controllers=", ""),
  };
  const compose = async (...args: readonly string[]): Promise<void> => {
    const command = [packages.python, "-m", "podman_compose", "--project-name", name, ...args];
    const { code, output, errors } = await execute(command, { cwd: root, env: environment, timeoutMs: 480_000 });
    if (code !== 0) throw new Error(`podman-compose ${args.join(" ")} ended with ${code}: ${output}${errors}`);
  };
  const container = (service: string): string => `${name}_${service}_1`;
  const down = (): Promise<void> => compose("down", "--volumes", "--timeout", "10");
  try {
    await compose("up", "--detach", "--no-build", "setup", ...wanted);
    const url = `https://127.0.0.1:${port}`;
    const clientConfig = join(engine.folder, "admin.orchconfig");
    await engine.podman("cp", `${container("setup")}:/certificates/client-admin/config`, clientConfig);
    const config = await readClientConfig(clientConfig);
    const client = createClient({ ...config, server: url });
    const log = (): string => engine.logs(wanted.map(container));
    await until(`ready at ${url}`, () => isReady(client), startPatienceMs).catch((error: unknown) => {
      throw new Error(`${error}\n${log()}`);
    });
    const naming = createNaming("orch");
    const target = await administered({ name: "docker-compose.yml", naming, urls: [url], clientConfig, client, log });
    return {
      target,
      client,
      services: wanted,
      prometheus: isWhole ? `http://127.0.0.1:${prometheusPort}` : undefined,
      inspect: async (service) => stateOf(await engine.podman("inspect", container(service))),
      async crash(service) {
        const { pid } = stateOf(await engine.podman("inspect", container(service)));
        process.kill(pid, "SIGKILL");
      },
      volume: async (volume) =>
        (await engine.podman("volume", "inspect", "--format", "{{.Mountpoint}}", `${name}_${volume}`)).trim(),
      async down() {
        await client.close();
        await down();
      },
    };
  } catch (error) {
    await down().catch(() => {});
    throw error;
  }
}

/** What `podman inspect` prints, as far as it is looked at. */
interface Inspected {
  readonly State: { readonly Running: boolean; readonly Pid: number };
  readonly Config: { readonly User: string; readonly Env: readonly string[] };
  readonly HostConfig: { readonly ReadonlyRootfs: boolean };
}

function stateOf(text: string): ContainerState {
  const [container]: readonly Inspected[] = JSON.parse(text);
  if (container === undefined) throw new Error("podman inspect has told of no container");
  const { State, Config, HostConfig } = container;
  return {
    running: State.Running,
    pid: State.Pid,
    user: Config.User,
    readOnly: HostConfig.ReadonlyRootfs,
    environment: Config.Env,
  };
}
