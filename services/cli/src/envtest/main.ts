#!/usr/bin/env node
import { basename } from "node:path";
import { etcdHelp, help } from "./help.js";

const [, script = "", word = "", ...rest] = process.argv;

/** What `path` makes, and says where it is. */
async function printAssets(argv: readonly string[]): Promise<number> {
  const { assetsCommand } = await import("./assets-command.js");
  return assetsCommand(argv, { environment: process.env, script: import.meta.filename, platform: process.platform });
}

/** Stands in for etcd until it is told to stop, or its parent has gone. */
async function runEtcd(argv: readonly string[]): Promise<void> {
  if (argv.some((argument) => argument === "--help" || argument === "-h")) {
    process.stdout.write(etcdHelp);
    return;
  }
  const [{ serveEtcdStub }, { whenParentEnds }] = await Promise.all([import("./etcd.js"), import("./parent.js")]);
  try {
    await serveEtcdStub(argv);
  } catch (error) {
    process.stderr.write(`orch-envtest etcd: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  const end = (): never => process.exit(0);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, end);
  whenParentEnds(() => process.ppid, end);
}

if (basename(script) === "etcd") await runEtcd(process.argv.slice(2));
else if (word === "etcd") await runEtcd(rest);
else if (word === "path") process.exitCode = await printAssets(rest);
else if (word === "--help" || word === "-h" || word === "help") process.stdout.write(help);
else {
  const { keepCompiled } = await import("@orch/runtime/compile-cache.js");
  keepCompiled();
  const { serveTests } = await import("./server.js");
  await serveTests(process.argv.slice(2), { environment: process.env, now: Date.now });
}
