import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configFlags } from "@orch/runtime/flags/config-flags.js";
import { type Flags, usageExit } from "@orch/runtime/flags/flags.js";
import { startProgram } from "@orch/runtime/start-program.js";
import { commandLine } from "@orch/service-standalone/command-line.js";
import { withDefaults } from "./defaults.js";
import { accountKey, servingPair } from "./files.js";
import { whenParentEnds } from "./parent.js";
import type { Shape } from "./reference-flags.js";
import { translate, type Wanted } from "./translate.js";

/** What it knows of its process. */
export interface ServerWorld {
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const name = "orch-envtest";

const shapesOf = (flags: Flags): ReadonlyMap<string, Shape> =>
  new Map(Object.entries(flags).map(([flag, { type }]) => [flag, type === "bool" ? "bool" : "value"]));

/** Serves until the process is told to stop, or its parent has gone. */
export async function serveTests(argv: readonly string[], { environment, now }: ServerWorld): Promise<void> {
  const folder = join(tmpdir(), `${name}-${randomUUID()}`);
  const program = { ...commandLine(folder), name };
  const shapes = new Map([...shapesOf({ ...program.flags, ...configFlags }), ["version", "bool" as const]]);
  const translation = translate(argv, shapes);
  if (!translation.ok) {
    process.stderr.write(`${name}: ${translation.problem}\n`);
    return process.exit(usageExit);
  }
  const { wanted } = translation;
  if (wanted.passedOver.length > 0)
    process.stderr.write(`${name}: passed over, for orch has nothing like it: ${wanted.passedOver.join(", ")}\n`);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const early = (): void => {
    // From its start on the server listens itself, and stops in order.
    if (process.listenerCount("SIGTERM") === 1) process.exit(0);
  };
  process.on("SIGTERM", early);
  whenParentEnds(
    () => process.ppid,
    () => process.kill(process.pid, "SIGTERM"),
  );
  // What serves is loaded while files are made and read.
  const loading = import("@orch/service-standalone/run.js");
  const started = await startProgram(program, await argumentsOf(wanted, { folder, now: now() }));
  const { run } = await loading;
  await run(started, environment);
}

async function argumentsOf(wanted: Wanted, { folder, now }: { readonly folder: string; readonly now: number }) {
  const asks = ["version", "print-config"].some((flag) => wanted.given.has(flag));
  if (asks) return wanted.argv;
  const pair = wanted.given.has("tls-cert-file")
    ? { certificate: "", key: "" }
    : await servingPair(wanted.certDir ?? folder, serverNames(wanted), now);
  const signed = ["service-account-signing-key-file", "service-account-key-file"].some((flag) =>
    wanted.given.has(flag),
  );
  const own = { folder, certificate: pair.certificate, certificateKey: pair.key };
  return withDefaults(wanted, { ...own, accountKey: signed ? "" : accountKey(folder) });
}

/** By which clients on this machine, and in a cluster, would know it. */
function serverNames({ argv }: Wanted): readonly string[] {
  const inCluster = ["", ".default", ".default.svc"].map((suffix) => `kubernetes${suffix}`);
  const told = argv.flatMap((arg) => /^--(?:bind-address|advertise-address)=([\s\S]+)$/.exec(arg)?.[1] ?? []);
  return [
    ...new Set([
      "localhost",
      "127.0.0.1",
      "::1",
      ...inCluster,
      ...told.filter((at) => at !== "0.0.0.0" && at !== "::"),
    ]),
  ];
}
