import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Exit, execute } from "../clients/program.js";
import { root } from "../command-line-program.js";
import { buildSaying } from "../harness/foreign-program.js";

export const chart = join(root, "helm/orch");

/** Helm 4 is made of other releases of the same modules, which take three minutes of CPU: it is asked for by name. */
export const helmMajors: readonly (3 | 4)[] = process.env["ORCH_TEST_HELM4"] === "1" ? [3, 4] : [3];

export interface Helm {
  readonly major: 3 | 4;
  /** Runs it; `code`: what it has to end with. @returns its output and errors */
  (args: readonly string[], code?: number): Promise<string>;
  /** Runs it to its end, whatever its end is. */
  exit(args: readonly string[]): Promise<Exit>;
}

/** Why it cannot be built here, for a loud skip; undefined once it is. `ORCH_TEST_HELM3_PROGRAM` names one that is there. */
export async function buildHelm(major: 3 | 4, to: string): Promise<string | undefined> {
  const there = process.env[`ORCH_TEST_HELM${major}_PROGRAM`];
  if (there !== undefined) {
    await symlink(there, to);
    return undefined;
  }
  const program = { module: `helm${major}`, package: `helm.sh/helm/v${major}/cmd/helm`, to };
  const why = await buildSaying(`Helm ${major}`, program);
  return why === undefined ? undefined : `SKIPPED: ${why}`;
}

export interface HelmPlace {
  readonly major: 3 | 4;
  /** The program. */
  readonly program: string;
  /** Of its caches. */
  readonly folder: string;
  /** Client configuration file of the cluster that it installs into. */
  readonly clientConfig?: string;
}

export function helmIn({ major, program, folder, clientConfig = "" }: HelmPlace): Helm {
  const home = join(folder, `home${major}`);
  const env = { KUBECONFIG: clientConfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home };
  const exit = (args: readonly string[]) => execute([program, ...args], { cwd: folder, env, timeoutMs: 120_000 });
  const run = async (args: readonly string[], code = 0): Promise<string> => {
    const ended = await exit(args);
    assert.equal(ended.code, code, `helm ${args.join(" ")}: ${ended.output.slice(-2000)}${ended.errors}`);
    return `${ended.output}${ended.errors}`;
  };
  return Object.assign(run, { major, exit });
}

/** Objects as `helm template` prints them, for a release `orch` in namespace `orch`. */
export async function render(helm: Helm, values: readonly string[] = []): Promise<string> {
  const args = ["template", "orch", chart, "--namespace=orch", "--kube-version=1.32.0", ...values];
  const { code, output, errors } = await helm.exit(args);
  assert.equal(code, 0, `helm ${args.join(" ")}: ${errors}`);
  return output;
}
