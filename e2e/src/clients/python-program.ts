import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Exit, e2eFolder, execute } from "./program.js";
import type { Prepared } from "./suite.js";

const leastMinor = 9;
const unreachable = /Connection|Temporary failure|timed out|Max retries|No matching distribution/i;
const source = join(e2eFolder, "clients/python");
const caches = join(e2eFolder, "../node_modules/.cache");

/** A program of `clients/python` in an environment of its own, which is kept for the next time. */
export async function preparePython(script: string): Promise<Prepared> {
  const environment = await preparePackages(join(source, "requirements.txt"));
  if ("missing" in environment) return environment;
  return { command: [environment.python, "-B", join(source, script)] };
}

/** The interpreter of an environment with the packages of a file, which is kept for the next time. */
export async function preparePackages(
  requirements: string,
): Promise<{ readonly python: string } | { readonly missing: string }> {
  const version = await execute(["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.prefix)"]);
  const [, minor] = /^3\.(\d+)/.exec(version.output) ?? [];
  if (minor === undefined) return { missing: `there is no Python 3 here (python3): ${version.errors}` };
  if (Number(minor) < leastMinor) return { missing: `Python ${version.output.trim()} is older than 3.${leastMinor}` };
  const hash = createHash("sha256")
    .update(version.output)
    .update(await readFile(requirements));
  const folder = join(caches, `e2e-python-${hash.digest("hex").slice(0, 16)}`);
  if (!existsSync(folder)) {
    const missing = await install(folder, requirements);
    if (missing !== undefined) return { missing };
  }
  return { python: join(folder, "bin/python") };
}

/** Makes the environment, whole or not at all; why that cannot be done here. @throws Error when a package is broken */
async function install(folder: string, requirements: string): Promise<string | undefined> {
  await mkdir(caches, { recursive: true });
  const draft = await mkdtemp(join(caches, "e2e-python-draft-"));
  try {
    const made = await execute(["python3", "-m", "venv", draft]);
    if (made.code !== 0) return `no environment can be made (Debian: apt-get install python3-venv): ${textOf(made)}`;
    const pip = [join(draft, "bin/python"), "-m", "pip", "--disable-pip-version-check", "--retries=1", "--timeout=15"];
    const installed = await execute([...pip, "install", "--quiet", "--no-deps", "--requirement", requirements]);
    if (installed.code === 0) await rename(draft, folder);
    else if (unreachable.test(textOf(installed))) return `its packages cannot be downloaded: ${textOf(installed)}`;
    else throw new Error(`pip install: ${textOf(installed)}`);
    return undefined;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const textOf = ({ output, errors }: Exit): string => `${errors}${output}`;
