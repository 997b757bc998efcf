import { join } from "node:path";
import { e2eFolder, execute } from "../clients/program.js";
import type { Engine } from "./engine.js";
import { nodeImage } from "./stand-ins.js";

const folder = join(e2eFolder, "../deploy/images");

/** Builds our images, `targets` or all of them, of the tree that is built here. @throws Error with what the builder wrote */
export async function buildImages(engine: Engine, targets: readonly string[] = []): Promise<void> {
  const build = [join(folder, "build.mjs"), "--engine=podman", `--node-image=${nodeImage}`, ...targets];
  const commands = [[join(folder, "bundle.mjs")], build].map((args) => ["node", ...args].join(" "));
  // Bundles have one folder for all who make them.
  const command = ["flock", folder, "sh", "-c", commands.join(" && ")];
  const env = { ...engine.environment };
  const { code, output, errors } = await execute(command, { cwd: join(folder, "../.."), env, timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output}${errors}`);
}
