import { enumFlag, intFlag, stringFlag } from "@orch/runtime/flags/flag-types.js";
import { startProgram } from "@orch/runtime/start-program.js";
import { greeting } from "@orch/service-standalone/greeting.js";
import { openFolder } from "./cluster-folder.js";
import { type LocalCluster, startLocalCluster } from "./local-cluster.js";
import { whyNotStarted } from "./why-not-started.js";

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
  "encryption-provider-config": stringFlag("", {
    word: "file",
    help: "EncryptionConfiguration for a service of keys, which reads it again when it changes; without it nothing is encrypted",
  }),
} as const;

const { values } = await startProgram(
  {
    name: "orch-local-cluster",
    description: "Runs orch as separate services on a real etcd, all on this machine.",
    flags,
  },
  process.argv.slice(2),
);
const folder = await openFolder(values["data-dir"]).catch(fail);
const encryption = values["encryption-provider-config"];
const starting = startLocalCluster({
  ...(encryption === ""
    ? {}
    : { kmsArgs: [`--encryption-provider-config=${encryption}`, "--encryption-provider-config-automatic-reload"] }),
  dialect: values["api-dialect"],
  dataDir: folder.path,
  gateways: values.gateways,
  watchCaches: values["watch-caches"],
  controllerManagers: values["controller-managers"],
  etcdMembers: values["etcd-members"],
  securePort: values["secure-port"],
});

/** Also while it starts: what there is by then is stopped. */
let stopping = false;
const stop = (): void => {
  if (stopping) process.exit(1);
  stopping = true;
  const stopped = starting.then(
    (cluster) => cluster.stop(),
    () => undefined,
  );
  void stopped.then(() => folder.remove()).then(() => process.exit(0), fail);
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

const cluster = await starting.catch(async (error: unknown) => {
  await folder.remove();
  return fail(error);
});
if (!stopping) tell(cluster);

function fail(error: unknown): never {
  process.stderr.write(`orch-local-cluster: ${whyNotStarted(error)}\n`);
  return process.exit(1);
}

function tell({ pki, clientConfig, urls, etcd, ...services }: LocalCluster): void {
  const access = { url: urls[0] ?? "", clientConfig, caFile: pki.paths.ca, adminToken: pki.adminToken };
  process.stdout.write(greeting(access, { tokenFile: pki.paths.tokens, hasConsole: false }));
  const { gateways, watchCaches, resources, controllerManagers } = services;
  for (const part of [...gateways, ...watchCaches, ...resources, ...controllerManagers]) {
    const where = Object.entries(part.addresses)
      .map(([what, at]) => `${what} ${at}`)
      .join(", ");
    process.stdout.write(`  ${part.name.padEnd(26)} pid ${String(part.pid).padEnd(8)} ${where}\n`);
  }
  for (const endpoint of etcd.endpoints) process.stdout.write(`  etcd ${endpoint}\n`);
}
