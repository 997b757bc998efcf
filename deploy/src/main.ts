import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { enumFlag, intFlag, stringFlag } from "@orch/runtime/flag-types.js";
import { startProgram } from "@orch/runtime/program.js";
import { greeting } from "@orch/service-standalone/greeting.js";
import { startLocalCluster } from "./local-cluster.js";

const flags = {
  "api-dialect": enumFlag(["orch", "kubernetes"], "orch", { help: "names of groups, media types and keys" }),
  "secure-port": intFlag(6443, {
    min: 0,
    max: 65535,
    help: "HTTPS port of the first gateway, the others follow; 0 picks free ones",
  }),
  gateways: intFlag(2, { min: 1, help: "how many gateways" }),
  "watch-caches": intFlag(2, { min: 1, help: "how many watch caches" }),
  "controller-managers": intFlag(2, { min: 0, help: "how many controller managers; one of them leads" }),
  "etcd-members": intFlag(3, { min: 1, help: "how many etcd members; their data lasts as long as this command" }),
  "data-dir": stringFlag("", {
    word: "folder",
    help: "where certificates and the client configuration go; a new temporary folder when empty",
  }),
} as const;

const { values } = startProgram(
  {
    name: "orch-local-cluster",
    description: "Runs orch as separate services on a real etcd, all on this machine.",
    flags,
  },
  process.argv.slice(2),
);
const dataDir =
  values["data-dir"] === "" ? await mkdtemp(join(tmpdir(), "orch-cluster-")) : resolve(values["data-dir"]);
const cluster = await startLocalCluster({
  dialect: values["api-dialect"],
  dataDir,
  gateways: values.gateways,
  watchCaches: values["watch-caches"],
  controllerManagers: values["controller-managers"],
  etcdMembers: values["etcd-members"],
  securePort: values["secure-port"],
}).catch((error: unknown) => {
  process.stderr.write(`orch-local-cluster: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
const { pki, clientConfig, urls } = cluster;
const access = { url: urls[0] ?? "", clientConfig, caFile: pki.paths.ca, adminToken: pki.adminToken };
process.stdout.write(greeting(access, pki.paths.tokens));
const parts = [...cluster.gateways, ...cluster.watchCaches, ...cluster.resources, ...cluster.controllerManagers];
for (const part of parts) {
  const where = Object.entries(part.addresses)
    .map(([what, at]) => `${what} ${at}`)
    .join(", ");
  process.stdout.write(`  ${part.name.padEnd(26)} pid ${String(part.pid).padEnd(8)} ${where}\n`);
}
for (const endpoint of cluster.etcd.endpoints) process.stdout.write(`  etcd ${endpoint}\n`);

let stopping = false;
const stop = (): void => {
  if (stopping) process.exit(1);
  stopping = true;
  void cluster.stop().then(() => process.exit(0));
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
