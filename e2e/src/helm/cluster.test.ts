import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readClientConfig } from "@orch/client/config.js";
import { type Client, type ClientOptions, createClient } from "@orch/client/http/http.js";
import type { ApiObject } from "@orch/client/objects.js";
import type { Process } from "@orch/deploy/process.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { orch } from "../command-line-program.js";
import { startSteadyLoad, startSteadyWatch } from "../harness/consistency/steady-load.js";
import { startBalancer } from "../harness/servers/balancer.js";
import { until } from "../harness/until.js";
import { type EtcdPods, startEtcdPods } from "./etcd-pods.js";
import { buildHelm, helmIn, render } from "./helm.js";
import { type PodCluster, startPods } from "./pods-as-processes.js";
import { listAt, podsOf, programOf, readObjects } from "./rendered.js";

/** The pods of the chart, started as processes with the arguments, files and certificates that it gives them. */
let folder: string;
let missing: string | undefined;
let etcd: EtcdPods | undefined;
let cluster: PodCluster | undefined;
let objects: readonly ApiObject[] = [];
let makeCertificates: readonly string[] = [];
let client: Client;

/** As many as it is scaled up to. */
const gateways = 4;

const bundles = () => join(folder, "bundles");

before(async () => {
  // A child for each pod, each of which is to end with this process.
  process.setMaxListeners(32);
  folder = await mkdtemp(join(tmpdir(), "orch-helm-"));
  const program = join(folder, "helm3");
  missing = etcdMissing() ?? (await buildHelm(3, program));
  if (missing !== undefined) return;
  const values = [
    "--set=dialect=kubernetes,audit.enabled=true",
    '--set-json=audit.policy={"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}',
    "--set=audit.flags.audit-log-path=/var/lib/orch/audit.log,audit.replicas=1,admission.replicas=1",
    `--set=gateway.replicas=${gateways}`,
  ];
  objects = readObjects(await render(helmIn({ major: 3, program, folder }), values));
  // As the Job's, but into a folder.
  makeCertificates = [...certificateArgs(objects), `--output=${bundles()}`];
  assert.equal((await orch(...makeCertificates)).code, 0);
  const place = { objects, folder, bundles: bundles() };
  etcd = await startEtcdPods(place);
  cluster = await startPods({ ...place, replaced: etcd.addresses });
  client = (await administrator(gatewayUrl()))();
});
after(async () => {
  await client?.close();
  await cluster?.stop();
  await etcd?.stop();
  await rm(folder, { recursive: true, force: true });
});

function running(t: TestContext): PodCluster | undefined {
  if (cluster === undefined) t.skip(missing);
  return cluster;
}

/** By the configuration that NOTES.txt tells of, at a gateway's address here. */
async function administrator(server: string): Promise<(options?: ClientOptions) => Client> {
  const config = await readClientConfig(join(bundles(), "client-admin/config"));
  assert.equal(config.server, "https://orch-gateway.orch.svc.cluster.local");
  const reached = { ...config, server, tlsServerName: "orch-gateway.orch.svc.cluster.local" };
  return (options) => createClient(reached, options);
}

function gatewayUrl(index = 0): string {
  const gateways = cluster?.pods.filter(({ name }) => name === "orch-gateway") ?? [];
  return `https://${gateways[index]?.process.addresses["https"]}`;
}

/** The same for one process. */
describe("the chart's one pod", () => {
  test("is a server with the chart's certificates, as the chart's own test finds, and keeps what it is told", async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const place = join(folder, "alone");
    const bundles = join(place, "bundles");
    const values = ["--set=mode=standalone,dialect=kubernetes"];
    const objects = readObjects(await render(helmIn({ major: 3, program: join(folder, "helm3"), folder }), values));
    assert.equal((await orch(...certificateArgs(objects), `--output=${bundles}`)).code, 0);
    const alone = await startPods({ objects, folder: place, bundles, replaced: {} });
    t.after(() => alone.stop());
    const test = podsOf(objects).find(({ object }) => object.kind === "Pod");
    assert.ok(test);
    const { code, err } = await orch(...(await alone.here(test)).args);
    assert.equal(code, 0, err);
    const [server] = alone.pods;
    assert.ok(server);
    const config = await readClientConfig(join(bundles, "client-admin/config"));
    const url = `https://${server.process.addresses["https"]}`;
    const admin = createClient({ ...config, server: url, tlsServerName: new URL(config.server).hostname });
    t.after(() => admin.close());
    await admin.create(maps, { metadata: { name: "kept" } });
    await server.process.stop();
    await server.process.restart();
    assert.equal((await admin.get(maps, "kept")).metadata.name, "kept");
  });
});

/** Arguments of the Job that makes certificates, without where it puts them. */
function certificateArgs(objects: readonly ApiObject[]): readonly string[] {
  const job = objects.find(({ kind }) => kind === "Job");
  const args = listAt(job, "spec.template.spec.containers.0.args").map(String);
  return args.filter((arg) => !arg.startsWith("--secrets"));
}

const maps = { group: "", version: "v1", resource: "configmaps", namespace: "default" };

describe("the chart's pods", () => {
  test("are a cluster, as the chart's own test finds", async (t) => {
    const started = running(t);
    if (started === undefined) return;
    const count = gateways + 4 + 2 + 1 + 1 + 2;
    assert.equal(started.pods.length, count, "two of each, but four gateways, and one of audit and of admission");
    const pod = podsOf(objects).find(({ object }) => object.kind === "Pod");
    assert.ok(pod);
    const { code, out, err } = await orch(...(await started.here(pod)).args);
    assert.equal(code, 0, err);
    assert.match(out, /^healthz check passed$/m);
    assert.equal(programOf(pod)?.program, "cli");
  });

  test("do the work of a cluster: writes, reads, controllers, service accounts, audit", async (t) => {
    const started = running(t);
    if (started === undefined) return;
    await client.create({ group: "", version: "v1", resource: "namespaces" }, { metadata: { name: "a" } });
    const accounts = { group: "", version: "v1", resource: "serviceaccounts", namespace: "a" };
    await until("the controllers work", () => client.get(accounts, "default").catch(() => undefined));
    await client.create({ ...maps, namespace: "a" }, { metadata: { name: "m" }, data: { k: "v" } });
    const token = await client.raw({
      method: "POST",
      path: "/api/v1/namespaces/a/serviceaccounts/default/token",
      body: JSON.stringify({ kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", spec: {} }),
    });
    const bearer = String(JSON.parse(token.body.toString("utf8")).status.token);
    const ca = await readFile(join(bundles(), "serving/ca.crt"), "utf8");
    const base = { namespace: "a", ca, token: bearer, insecureSkipTlsVerify: false };
    const account = createClient({ ...base, server: gatewayUrl(1) });
    t.after(() => account.close());
    // This gateway hears of the account in a moment of its own.
    await until("the account is known, and may not read", async () => {
      const refusal: unknown = await account.get({ ...maps, namespace: "a" }, "m").catch((error: unknown) => error);
      return /system:serviceaccount:a:default" cannot get/.test(String(refusal)) || undefined;
    });
    const audit = started.pods.find(({ name }) => name === "orch-audit");
    const log = audit?.process.log();
    const spooled = await until("audit has events", async () => {
      const text = await readFile(join(audit?.home ?? "", "data/audit.log"), "utf8").catch(() => "");
      return text.includes('"serviceaccounts"') ? text : undefined;
    }).catch((error: unknown) => assert.fail(`${error}\n${log}`));
    assert.match(spooled, /"kind":"Event"/);
  });

  test("show their metrics to whom the chart's monitors make of Prometheus, and to nobody else", async (t) => {
    const started = running(t);
    if (started === undefined) return;
    for (const { name, process } of started.pods) {
      const { metrics, https = "" } = process.addresses;
      const bundle = metrics === undefined ? "client-monitoring" : "service-monitoring";
      const service = name.replace(/^orch-(resource)?.*/, (all, part?: string) => part ?? all.slice("orch-".length));
      const serverName = metrics === undefined ? "orch-gateway.orch.svc.cluster.local" : service;
      const asked = { address: metrics ?? https, serverName, bundle: join(bundles(), bundle) };
      assert.equal(await scrape(asked), 200, name);
      assert.equal(await scrape({ ...asked, bundle: undefined, trusted: asked.bundle }), 403, name);
    }
  });

  test("are replaced one by one without a failed request, and take new certificates on the way", async (t) => {
    const started = running(t);
    if (started === undefined) return;
    const load = startLoad();
    t.after(() => load.stop());
    // As the CronJob does when their time ends.
    const before = await readFile(join(bundles(), "service-resource/tls.crt"), "utf8");
    const services = ["gateway", "resource", "watch-cache", "admission"].map((name) => `service-${name}`);
    for (const name of [...services, "etcd-client"]) await rm(join(bundles(), name), { recursive: true });
    const renewed = await orch(...makeCertificates);
    assert.match(renewed.out, /^21 bundles, 5 of them written$/m, renewed.err);
    assert.notEqual(await readFile(join(bundles(), "service-resource/tls.crt"), "utf8"), before);
    for (const { name, process } of started.pods) {
      if (!/-(resource-core|watch-cache)$/.test(name)) continue;
      await process.stop();
      await process.restart();
    }
    const { done, failed } = await load.stop();
    assert.deepEqual(failed, []);
    assert.ok(done > 50, `${done} requests`);
  });

  test("scale from one gateway to four and back to another one under load without a failed request or a missed event", async (t) => {
    const started = running(t);
    if (started === undefined) return;
    const servers = started.pods.filter(({ name }) => name === "orch-gateway").map(({ process }) => process);
    const balancer = await startBalancer(servers.map(({ addresses }) => addresses["https"] ?? ""));
    t.after(() => balancer.stop());
    const [first, ...others] = servers;
    assert.ok(first);
    const leave = async (gone: readonly Process[]): Promise<void> => {
      const codes = await Promise.all(gone.map((process) => process.stop()));
      assert.deepEqual(
        codes,
        gone.map(() => 0),
      );
    };
    await leave(others);
    await until("one is left", () => (balancer.ready.size === 1 ? true : undefined));

    const newClient = await administrator(`https://${balancer.address}`);
    const scaled = { ...maps, namespace: "scaled" };
    await client.create({ group: "", version: "v1", resource: "namespaces" }, { metadata: { name: "scaled" } });
    await until("a controller has written its map", () =>
      client.get(scaled, "kube-root-ca.crt").catch(() => undefined),
    );
    // Over HTTP/1.1, and over HTTP/2.
    const watchers = [newClient(), newClient({ multiplexed: true })];
    const watches = await Promise.all(watchers.map((own) => startSteadyWatch(own, scaled)));
    // Some keep their connections for as long as they are let, some come anew and go to whoever is there.
    const roundsOfClient = (index: number): number => (index % 2 === 0 ? Number.POSITIVE_INFINITY : 4);
    const load = startSteadyLoad({ collection: scaled, clients: 6, roundsOfClient, newClient });
    const progress = async (what: string): Promise<void> => {
      const from = load.done;
      await until(`the load goes on ${what}`, () => (load.done > from + 200 ? true : undefined));
    };
    await progress("on one");

    await Promise.all(others.map((process) => process.restart()));
    await until("all are ready", () => (balancer.ready.size === servers.length ? true : undefined));
    await progress("on four");
    const idle = [...balancer.given].filter(([, count]) => count === 0);
    assert.deepEqual(idle, [], "each is given connections");

    await leave(servers.slice(0, -1));
    await progress("on the one that is left");
    await load.stop();

    assert.deepEqual(load.failures, []);
    const wanted = load.created.flat().flatMap((name) => {
      const isDeleted = Number(name.slice(name.indexOf("-") + 1)) % 2 === 0;
      return [`ADDED ${name}`, ...(isDeleted ? [`DELETED ${name}`] : [])];
    });
    for (const watch of watches) {
      await until("the watch has everything", () => (watch.events.length >= wanted.length ? true : undefined)).catch(
        () => {},
      );
      await watch.stop();
      assert.deepEqual(watch.failures, []);
      assert.deepEqual(watch.events.toSorted(), wanted.toSorted());
      assert.ok(watch.begun > 1, "its first server has gone");
    }
    t.diagnostic(`${load.done} requests; connections: ${[...balancer.given.values()].join(", ")}`);
    await Promise.all(servers.slice(0, -1).map((process) => process.restart()));
  });
});

interface Scrape {
  readonly address: string;
  /** Of a ServiceMonitor's tlsConfig. */
  readonly serverName: string;
  /** Folder of the certificate that is shown; none where absent. */
  readonly bundle: string | undefined;
  /** Folder of the authority, where none is shown. */
  readonly trusted?: string;
}

/** The status of /metrics, as Prometheus asks for it: it looks at the name in the certificate. */
async function scrape({ address, serverName, bundle, trusted = bundle ?? "" }: Scrape): Promise<number> {
  const ca = await readFile(join(trusted, "ca.crt"), "utf8");
  const file = (name: string) => readFile(join(bundle ?? "", name), "utf8");
  const pair = bundle === undefined ? {} : { cert: await file("tls.crt"), key: await file("tls.key") };
  return await new Promise((resolve, reject) => {
    const url = `https://${address}/metrics`;
    const sent = request(url, { agent: false, ca, servername: serverName, ...pair }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end();
  });
}

/** Writes and reads, one after the other, through one gateway. */
function startLoad() {
  let stopped = false;
  let done = 0;
  const failed: string[] = [];
  const loop = (async () => {
    for (let i = 0; !stopped; i++) {
      const name = `load-${i}`;
      try {
        await client.create(maps, { metadata: { name }, data: { i: String(i) } });
        await client.get(maps, name);
        await client.delete(maps, name);
        done += 3;
      } catch (error) {
        failed.push(String(error));
      }
      await delay(10);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await loop;
      return { done, failed };
    },
  };
}
