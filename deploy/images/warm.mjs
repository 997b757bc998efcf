// Starts every program once and stops it in order: with that it has written down its code as the engine compiled it, for starts in a
// file system that it cannot write. Node keeps it by version, machine and user: it is the same for whom the images run as.
// node warm.mjs FOLDER UID
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programs } from "./programs.mjs";

const [, , bundles, uid] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "orch-warm-"));
const pki = join(folder, "data", "pki");
// Nobody answers there: a start without its peers runs the same code.
const nowhere = "127.0.0.1:1";
const encryption = join(folder, "encryption.yaml");
writeFileSync(
  encryption,
  "apiVersion: apiserver.config.orch/v1\nkind: EncryptionConfiguration\nresources: [{ resources: [secrets], providers: [{ identity: {} }] }]\n",
);

/** Flags with which a program comes as far as it can alone. */
const flags = {
  cli: ["serve", "--secure-port=0", `--data-dir=${join(folder, "data")}`],
  gateway: [
    ...["--secure-port=0", `--watch-cache-servers=${nowhere}`, `--resource-servers=${nowhere}`],
    ...[`--tls-cert-file=${pki}/serving.crt`, `--tls-private-key-file=${pki}/serving.key`],
    ...[`--client-ca-file=${pki}/ca.crt`, `--token-auth-file=${pki}/tokens.csv`],
  ],
  resource: [`--etcd-servers=http://${nowhere}`],
  "watch-cache": [`--etcd-servers=http://${nowhere}`],
  admission: [`--watch-cache-servers=${nowhere}`],
  audit: [`--audit-spool-directory=${join(folder, "spool")}`, "--audit-log-path=-"],
  kms: [`--encryption-provider-config=${encryption}`],
  "controller-manager": [`--orchconfig=${join(folder, "data", "admin.orchconfig")}`],
  scheduler: [`--orchconfig=${join(folder, "data", "admin.orchconfig")}`],
  "node-simulator": [`--orchconfig=${join(folder, "data", "admin.orchconfig")}`],
};
const patienceMs = 5_000;
/** A program that still tries has nobody yet who stops it in order. */
const stopsInOrder = "process.once('SIGTERM', () => process.listenerCount('SIGTERM') === 0 && process.exit(0))";

/** Until it says where it serves, or for as long as it tries. */
async function startAndStop(name) {
  const child = spawn(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(stopsInOrder)}`,
      join(bundles, name, "main.js"),
      ...flags[name],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let errors = "";
  child.stderr.on("data", (bytes) => {
    errors = (errors + bytes).slice(-4000);
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const timer = setTimeout(() => child.kill("SIGTERM"), patienceMs);
  child.stdout.once("data", () => setTimeout(() => child.kill("SIGTERM"), 500));
  const code = await ended;
  clearTimeout(timer);
  const compiled = join(bundles, name, "compiled");
  if (!existsSync(compiled)) throw new Error(`${name} has kept no compiled code, and ended with ${code}:\n${errors}`);
  for (const kept of readdirSync(compiled))
    renameSync(join(compiled, kept), join(compiled, kept.replace(/-\d+$/, `-${uid}`)));
  console.log(`${name}: started, ended with ${code}`);
}

// The one process first: it makes the certificates that the gateway wants.
const ordered = programs.map(({ name }) => name).sort((a, b) => Number(b === "cli") - Number(a === "cli"));
for (const name of ordered) await startAndStop(name);
rmSync(folder, { recursive: true, force: true });
