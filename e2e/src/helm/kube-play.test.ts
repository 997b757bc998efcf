import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, createClient } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { freePorts } from "@orch/store/testing/etcd-server.js";
import { orch } from "../command-line-program.js";
import { administered, isReady, startPatienceMs, twice } from "../containers/administration.js";
import type { Engine } from "../containers/engine.js";
import { buildImages } from "../containers/images.js";
import { openEngine, podmanMissing } from "../containers/open-engine.js";
import { type PlayablePod, playable } from "../containers/playable-pods.js";
import { type PlayedPods, playPods } from "../containers/played-pods.js";
import { makePauseImage, makeServersImage, serversImage } from "../containers/stand-ins.js";
import { quietControllers, type Target } from "../harness/target.js";
import { until } from "../harness/until.js";
import { behaviour } from "../suite/behaviour.js";
import { buildHelm, helmIn, render } from "./helm.js";
import { listAt, podsOf, programOf, readObjects } from "./rendered.js";

const folder = await mkdtemp(join(tmpdir(), "orch-helm-"));
const program = join(folder, "helm3");
const engine = podmanMissing() ?? (await buildHelm(3, program)) ?? (await openEngine());
const skip = typeof engine === "string" ? `SKIPPED: ${engine}` : false;
if (skip !== false) process.stderr.write(`\n*** the chart's pods are not played: ${skip}\n\n`);

/** What most clients do; the whole suite runs on processes, which are the same programs. */
const core = ["kinds", "patches", "paged lists", "watches", "resource versions", "service allocation", "errors"];
/** Beside other tests, with every package fetched for the first time. */
const startMs = 900_000;
const bundles = join(folder, "bundles");
const gateway = "orch-gateway";

describe("the chart's pods, played by podman", { skip }, () => {
  let objects: readonly ApiObject[] = [];
  let target: Target | undefined;
  let client: Client | undefined;
  let played: PlayedPods | undefined;
  const running = (): PlayedPods => {
    if (played === undefined) throw new Error("the pods were not played");
    return played;
  };
  before(
    async () => {
      if (typeof engine === "string") return;
      await twice(() => Promise.all([prepare(engine), makeServersImage(engine), makePauseImage(engine)]));
      objects = await renderAll();
      const { ports, ...parts } = await twice(async () => {
        const { pods, ports } = await playables(objects);
        return { ports, played: await playPods(engine, pods) };
      });
      played = parts.played;
      const clientConfig = join(bundles, "client-admin/config");
      const urls = ports.map((port) => `https://127.0.0.1:${port}`);
      const [server = ""] = urls;
      const admin = createClient({ ...(await readClientConfig(clientConfig)), server });
      client = admin;
      await until("the API is ready", () => isReady(admin), startPatienceMs);
      const { log } = played;
      const naming = createNaming("kubernetes");
      target = await administered({ name: "the chart's pods", naming, urls, clientConfig, client, log });
    },
    { timeout: startMs },
  );
  after(
    async () => {
      await client?.close();
      if (typeof engine !== "string") await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
    { timeout: startMs },
  );

  test("are ready by the probes that the chart gives them, as many as it wants", () => {
    const counts = new Map<string, number>();
    for (const { workload } of running().pods) counts.set(workload, (counts.get(workload) ?? 0) + 1);
    const two = [gateway, "orch-resource-core", "orch-resource-others", "orch-watch-cache", "orch-admission"];
    const wanted = [...two, "orch-audit", "orch-kms", "orch-controller-manager"].map((name) => [name, 2] as const);
    assert.deepEqual(counts, new Map([...wanted, ["orch-etcd", 3] as const].sort(([a], [b]) => (a < b ? -1 : 1))));
  });

  test("run restricted: the kernel has their processes as nobody special, without capabilities and below a filter", async () => {
    for (const { containers } of running().pods) {
      assert.equal(containers.length, 1);
      for (const { name, readOnly, status } of containers) {
        const kernel = await status();
        const shown = ["Uid", "Gid", "CapPrm", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp"].map((key) =>
          kernel.get(key),
        );
        const nobody = Array.from({ length: 4 }, () => "65532").join("\t");
        const none = "0".repeat(16);
        assert.deepEqual(shown, [nobody, nobody, none, none, none, "1", "2"], name);
        assert.ok(readOnly, name);
      }
    }
  });

  test("are found ready by the chart's own test", async () => {
    const rendered = podsOf(objects).find(({ object }) => object.kind === "Pod");
    assert.ok(rendered);
    const { code, log } = await running().finish(await playable(rendered, { objects, bundles, replica: 0 }));
    assert.equal(code, 0, log);
  });

  behaviour("the core of the behaviour suite", {
    async start() {
      if (target === undefined) throw new Error("the pods were not played");
      return target;
    },
    only: core,
  });

  test("taken down, nothing of them is left", { timeout: startMs }, async () => {
    await running().down();
    if (typeof engine === "string") return;
    assert.equal(await engine.podman("ps", "--all", "--quiet"), "");
    assert.equal(await engine.podman("volume", "ls", "--quiet"), "");
  });
});

/** Images of every program of the chart but standalone. */
async function prepare(engine: Engine): Promise<void> {
  const services = ["gateway", "resource", "watch-cache", "admission", "audit", "kms", "controller-manager"];
  await buildImages(engine, [...services, "cli"]);
}

/** Everything that the chart can bring up, as it is by default; certificates and keys into a folder. */
async function renderAll(): Promise<readonly ApiObject[]> {
  const [controllers = ""] = quietControllers().map((flag) => flag.replace("--controllers=", ""));
  const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] };
  const values = [
    "--set=dialect=kubernetes,audit.enabled=true,kms.enabled=true,kms.configurationSecret=orch-keys",
    `--set-json=audit.policy=${JSON.stringify(policy)}`,
    // No Service leads from one port to another here.
    "--set=gateway.service.port=6443,gateway.tlsNames={127.0.0.1},gateway.shutdownDelay=1s",
    `--set-json=controllerManager.flags=${JSON.stringify({ controllers })}`,
    `--set=image.registry=localhost,image.tag=latest,etcd.image=${serversImage}`,
  ];
  const objects = readObjects(await render(helmIn({ major: 3, program, folder }), values));
  const job = objects.find(({ kind }) => kind === "Job");
  const args = listAt(job, "spec.template.spec.containers.0.args").map(String);
  const made = await orch(...args.filter((arg) => !arg.startsWith("--secrets")), `--output=${bundles}`);
  assert.equal(made.code, 0, made.err);
  const keys = [{ name: "a", secret: randomBytes(32).toString("base64") }];
  const resources = [{ resources: ["secrets"], providers: [{ aesgcm: { keys } }, { identity: {} }] }];
  const encryption = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources };
  await mkdir(join(bundles, "keys"));
  await writeFile(join(bundles, "keys/config.yaml"), JSON.stringify(encryption));
  return objects;
}

/** Its Deployments and StatefulSets as pods, etcd first; gateways are reached at ports of this machine. */
async function playables(
  objects: readonly ApiObject[],
): Promise<{ readonly pods: readonly PlayablePod[]; readonly ports: readonly number[] }> {
  const rendered = podsOf(objects).filter(({ object }) => ["Deployment", "StatefulSet"].includes(object.kind ?? ""));
  const ordered = rendered.toSorted((a, b) => Number(programOf(a) !== undefined) - Number(programOf(b) !== undefined));
  const ports = await freePorts(rendered.find(({ object }) => object.metadata.name === gateway)?.replicas ?? 0);
  const pods = ordered.flatMap((pod) =>
    Array.from({ length: pod.replicas }, (_, replica) => {
      const hostPort = pod.object.metadata.name === gateway ? ports[replica] : undefined;
      return playable(pod, { objects, bundles, replica, hostPort });
    }),
  );
  return { pods: await Promise.all(pods), ports };
}
