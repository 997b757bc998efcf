import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLocalCluster } from "@orch/deploy/local-cluster.js";
import { portOf, startProcess } from "@orch/deploy/process.js";
import { createNaming } from "@orch/naming/naming.js";
import { ensurePki } from "@orch/service-standalone/pki/pki.js";
import { type EtcdServer, startEtcd } from "@orch/store/testing/etcd-server.js";
import { type Endpoint, once, sleep } from "../load/load.js";
import { startStandalone, type Target, userTokens } from "../targets.js";
import { create } from "../writes/creates.js";

/** A server that is measured: custom resources can be defined at a path of its own dialect. */
export interface Server extends Target {
  readonly definitions: string;
}

const naming = createNaming("orch");
const ownDefinitions = `/apis/${naming.group("apiextensions")}/v1/customresourcedefinitions`;
/** As `make start` has it. */
const ownFlags = ["--enable-admission-plugins=NodeRestriction"];

/** Of one member; its process is among those whose CPU and memory count. */
function pidsOf(etcd: EtcdServer): readonly (readonly [string, number])[] {
  return etcd.members.map(({ pid = 0 }, i) => [etcd.members.length === 1 ? "etcd" : `etcd ${i}`, pid]);
}

/** The Go server, on an etcd of its own. */
export async function startPeer(program: string): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "orch-bench-"));
  const pki = await ensurePki(folder, { tlsSans: [], clock: { now: Date.now }, naming });
  const etcd = await startEtcd();
  const args = [
    `--etcd-servers=${etcd.endpoints.join(",")}`,
    `--tls-cert-file=${pki.paths.servingCertificate}`,
    `--tls-private-key-file=${pki.paths.servingKey}`,
  ];
  const child = await startProcess({ name: "peer", script: program, executable: true, args, sameAgain: () => [] });
  return {
    name: "peer",
    definitions: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    endpoints: [{ host: "127.0.0.1", port: Number(portOf(child.addresses["https"])), token: "" }],
    pids: new Map([["peer", child.pid ?? 0], ...pidsOf(etcd)]),
    async stop() {
      await child.stop();
      await etcd.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Standalone as `make start` runs it, on the embedded store or on an etcd of its own. */
export async function startOurs(store: "embedded" | "etcd"): Promise<Server> {
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const target = await startStandalone({
    nodeArgs: [],
    workers: 0,
    controllers: true,
    authorization: "Node,RBAC",
    flags: [...ownFlags, ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoints.join(",")}`])],
  });
  return {
    name: store === "embedded" ? "standalone" : "standalone on etcd",
    definitions: ownDefinitions,
    endpoints: await asOrdinaryUser(target.endpoints),
    pids: new Map([...target.pids, ...(etcd === undefined ? [] : pidsOf(etcd))]),
    async stop() {
      await target.stop();
      await etcd?.stop();
    },
  };
}

/** One of each service, on an etcd of one member; two resource services, which share the groups. */
export async function startServices({ near }: { readonly near: boolean }): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "orch-bench-"));
  const { paths, adminToken } = await ensurePki(folder, { tlsSans: [], clock: { now: Date.now }, naming });
  const users = join(folder, "users.csv");
  const ordinary = `${userTokens.light},light,light\n`;
  await writeFile(users, (await readFile(paths.tokens, "utf8")) + ordinary);
  const cluster = await startLocalCluster({
    dialect: "orch",
    dataDir: folder,
    ...{ gateways: 1, watchCaches: 1, controllerManagers: 1, etcdMembers: 1 },
    gatewayArgs: [`--token-auth-file=${users}`, ...(near ? ["--near-cache=*"] : [])],
  });
  const { admission, resources, watchCaches, gateways, controllerManagers } = cluster;
  const parts = [admission, ...resources, ...watchCaches, ...gateways, ...controllerManagers];
  const ports = cluster.urls.map((url) => Number(new URL(url).port));
  return {
    name: "distributed",
    definitions: ownDefinitions,
    endpoints: await asOrdinaryUser(ports.map((port) => ({ host: "127.0.0.1", port, token: adminToken }))),
    pids: new Map([...parts.map(({ name, pid = 0 }) => [name, pid] as const), ...pidsOf(cluster.etcd)]),
    async stop() {
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A user who may do everything by a binding, so that requests are authorized and queued as everybody's are. */
async function asOrdinaryUser(asAdministrator: readonly Endpoint[]): Promise<readonly Endpoint[]> {
  const [endpoint] = asAdministrator;
  if (endpoint === undefined) return [];
  const rbac = naming.group("rbac.authorization");
  await create(endpoint, `/apis/${rbac}/v1/clusterrolebindings`, {
    metadata: { name: "bench" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: rbac, kind: "User", name: "light" }],
  });
  const asUser = asAdministrator.map((each) => ({ ...each, token: userTokens.light }));
  for (const each of asUser) {
    while ((await once(each, { method: "GET", path: ownDefinitions })).code !== 200) await sleep(20);
  }
  return asUser;
}

/** Where the program is built: below the folder that version control ignores. */
export const peerProgram = fileURLToPath(new URL("../../peer/dist/peer", import.meta.url));
export const peerModule = fileURLToPath(new URL("../../peer", import.meta.url));
