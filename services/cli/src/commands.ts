import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Command, CommandGroup, World } from "./command.js";
import { completionCommand } from "./completion/command.js";
import { canI, explainWrite, whoCan, whyNotDeleted } from "./explain/commands.js";
import { descriptions as historyDescriptions, words as historyWords } from "./history/usage.js";
import { print, printError } from "./print.js";
import { serving } from "./serving.js";
import { versionCommand } from "./version.js";

const dataDirOf = ({ environment }: World): string => environment["ORCH_DATA"] ?? "./.orch";

const services: readonly Command[] = [
  serving({
    word: "serve",
    description: "everything in one process, on the embedded store or on etcd",
    commandLine: async (world) =>
      (await import("@orch/service-standalone/command-line.js")).commandLine(dataDirOf(world)),
    run: async () => (await import("@orch/service-standalone/run.js")).run,
  }),
  serving({
    word: "gateway",
    description: "HTTPS, identity, negotiation; forwards to the services behind it",
    commandLine: async () => (await import("@orch/service-gateway/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-gateway/run.js")).run,
  }),
  serving({
    word: "resource",
    description: "the writes of API groups",
    commandLine: async () => (await import("@orch/service-resource/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-resource/run.js")).run,
  }),
  serving({
    word: "watch-cache",
    description: "every object's bytes; reads and watches",
    commandLine: async () => (await import("@orch/service-watch-cache/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-watch-cache/run.js")).run,
  }),
  serving({
    word: "admission",
    description: "the calls to webhooks that users run",
    commandLine: async () => (await import("@orch/service-admission/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-admission/run.js")).run,
  }),
  serving({
    word: "kms",
    description: "the keys by which objects are stored, and KMS plugins",
    commandLine: async () => (await import("@orch/service-kms/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-kms/run.js")).run,
  }),
  serving({
    word: "kms-plugin",
    description: "a KMS plugin whose keys stand in a file",
    commandLine: async () => (await import("@orch/service-kms/kms-plugin/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-kms/kms-plugin/run.js")).run,
  }),
  serving({
    word: "audit",
    description: "audit events on their way to files, webhooks and topics",
    commandLine: async () => (await import("@orch/service-audit/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-audit/run.js")).run,
  }),
  serving({
    word: "controller-manager",
    description: "what follows from changes: garbage, namespaces, service accounts",
    commandLine: async () => (await import("@orch/service-controller-manager/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-controller-manager/run.js")).run,
  }),
  serving({
    word: "cloud-controller-manager",
    description: "what a cloud says of nodes, routes to them, balancers of services",
    commandLine: async () =>
      (await import("@orch/service-controller-manager/cloud-manager/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-controller-manager/cloud-manager/run.js")).run,
  }),
  serving({
    word: "scheduler",
    description: "nodes for pods: profiles, plugins, preemption",
    commandLine: async () => (await import("@orch/service-scheduler/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-scheduler/run.js")).run,
  }),
  serving({
    word: "proxy",
    description: "services' traffic to their endpoints, by rules of a node's kernel",
    commandLine: async () => (await import("@orch/service-proxy/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-proxy/run.js")).run,
  }),
  serving({
    word: "node-simulator",
    description: "agents of any number of nodes, on which nothing runs",
    commandLine: async () => (await import("@orch/service-node-simulator/command-line.js")).commandLine,
    run: async () => (await import("@orch/service-node-simulator/run.js")).run,
  }),
];

const check: Command = {
  word: "check",
  description: "read all data of a stopped server, tell what is damaged, repair it",
  flags: async (world) => (await import("@orch/service-standalone/check/program.js")).checkFlags(dataDirOf(world)),
  async run(argv, { script }) {
    const { checkGuarded } = await import("@orch/service-standalone/check/guarded.js");
    return checkGuarded(script, argv);
  },
};

const backup: Command = {
  word: "backup",
  description: "copy the data of a server that may run, and verify the copy",
  flags: async (world) => (await import("./backup/backup.js")).backupFlags(dataDirOf(world)),
  run: async (argv, world) =>
    (await import("./backup/commands.js")).runBackup(argv, { dataDir: dataDirOf(world), now: world.now }),
};

const restore: Command = {
  word: "restore",
  description: "make a new data directory of a backup",
  flags: async (world) => (await import("./backup/restore.js")).restoreFlags(dataDirOf(world)),
  run: async (argv, world) => (await import("./backup/commands.js")).runRestore(argv, dataDirOf(world)),
};

const storage: Command = {
  word: "storage",
  description: "have a server store its objects anew: in the version and under the key of today",
  flags: async () => (await import("./storage/command.js")).storageFlags,
  words: ["migrate"],
  async run(argv, { environment }) {
    const { runStorage } = await import("./storage/command.js");
    const { ORCHCONFIG = "" } = environment;
    return runStorage(argv, {
      orchconfig: ORCHCONFIG,
      print: (text) => print(`${text}\n`),
      read: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
      // Whole or not at all: a run may be broken off at any moment.
      write(path, text) {
        writeFileSync(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      },
      remove: (path) => rmSync(path, { force: true }),
    });
  },
};

const explaining = (word: "explain-schedule" | "schedule", description: string): Command => ({
  word,
  description,
  flags: async () => (await import("@orch/service-scheduler/explain/command.js")).explainFlags,
  async run(argv, { environment, now }) {
    const { runExplain } = await import("@orch/service-scheduler/explain/command.js");
    const { ORCHCONFIG = "" } = environment;
    const read = (path: string): string => readFileSync(path, "utf8");
    return runExplain(word, argv, { orchconfig: ORCHCONFIG, read, now, print: (text) => print(`${text}\n`) });
  },
});
const explainSchedule = explaining("explain-schedule", "which filter refuses a pod where, and how scores come about");
const schedule = explaining("schedule", "where a pod would go (--dry-run)");

const clientConfig: Command = {
  word: "kubeconfig",
  description: "a client configuration for a user of one process's server, with a certificate of its own",
  flags: async (world) => (await import("./client-config/command.js")).clientConfigFlags(dataDirOf(world)),
  run: async (argv, world) =>
    (await import("./client-config/command.js")).runClientConfig(argv, { dataDir: dataDirOf(world), now: world.now }),
};

const applySet: Command = {
  word: "apply-set",
  description: "make a set of objects in files: show what changes, ask, apply all of it",
  flags: async ({ environment }) => (await import("./sets/command.js")).applySetFlags(environment["ORCHCONFIG"] ?? ""),
  run: async (argv, world) => (await import("./sets/command.js")).runApplySet(argv, world),
};

const certificates: Command = {
  word: "certificates",
  description: "the certificates that the services of a cluster need, in a folder or as Secrets",
  flags: async () => Object.keys((await import("./certificates/command.js")).certificateFlags),
  run: async (argv, world) => (await import("./certificates/command.js")).runCertificates(argv, world),
};

const adm: Command = {
  word: "adm",
  description: "set up machines of a cluster: init, join, reset, upgrade (the program orchadm)",
  flags: async () => [],
  words: ["init", "join", "reset", "certs", "kubeconfig", "token", "config", "upgrade", "run", "version", "completion"],
  async run(argv, { environment, script }) {
    const [{ run }, { orchadmWorld }] = await Promise.all([
      import("@orch/service-orchadm/run.js"),
      import("./orchadm/world.js"),
    ]);
    return run(argv, orchadmWorld(environment, script));
  },
};

const wait: Command = {
  word: "wait",
  description: "until a server says that it is ready",
  flags: async () => Object.keys((await import("./wait/command.js")).waitFlags("")),
  run: async (argv, world) => (await import("./wait/command.js")).runWait(argv, world),
};

const cel: Command = {
  word: "cel",
  description: "check and evaluate expressions",
  flags: async () => (await import("./cel/command.js")).celFlags,
  words: ["test"],
  async run(argv, { environment }) {
    const { runCel } = await import("./cel/command.js");
    const { readLiveObject } = await import("./cel/live-object.js");
    const { ORCHCONFIG = "" } = environment;
    return runCel(argv, {
      files: { read: (path) => readFileSync(path === "-" ? 0 : path) },
      print: (text) => print(`${text}\n`),
      liveObject: (wanted) => readLiveObject({ orchconfig: ORCHCONFIG || undefined, ...wanted }),
    });
  },
};

const past = historyWords.map(
  (word): Command => ({
    word,
    description: historyDescriptions[word],
    flags: async () => (await import("./history/usage.js")).optionsOf(word),
    async run(argv, { environment, now }) {
      const [{ runHistory }, { historyWorld }] = await Promise.all([
        import("./history/command.js"),
        import("./history/here.js"),
      ]);
      const config = { configVariable: "ORCHCONFIG", usualConfig: undefined };
      return runHistory(word, argv, historyWorld({ program: "orch", environment, now, ...config }));
    },
  }),
);

/** Everything that `orch` can do, as its usage lists it. */
export const groups: readonly CommandGroup[] = [
  { title: "Services", commands: services },
  { title: "Data", commands: [backup, restore, check, storage] },
  { title: "Objects' past", commands: past },
  { title: "Explanations", commands: [explainWrite, whyNotDeleted, whoCan, canI] },
  { title: "Scheduling", commands: [explainSchedule, schedule] },
  { title: "Clusters", commands: [adm, certificates, wait] },
  { title: "Clients", commands: [clientConfig, applySet] },
  { title: "Expressions", commands: [cel] },
  { title: "Other", commands: [completionCommand(() => commands), versionCommand] },
];

export const commands: readonly Command[] = groups.flatMap((group) => group.commands);

/** The process that `orch check` starts: a damaged database can end it. */
export async function checkHere(argv: readonly string[], world: World): Promise<number> {
  const { runCheck } = await import("@orch/service-standalone/check/program.js");
  return runCheck(argv, { out: print, err: printError }, dataDirOf(world));
}
