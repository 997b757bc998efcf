import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execute } from "../clients/program.js";
import type { Target } from "./target.js";

export interface Kubectl {
  /** Runs it in a namespace of the test's own; `code`: what it has to end with. @returns its output and errors */
  (args: readonly string[], code?: number): Promise<string>;
  readonly namespace: string;
  /** A file with this text. */
  file(name: string, text: string): Promise<string>;
}

/** Why tests that need it are skipped; undefined where it is. */
export async function kubectlMissing(): Promise<string | undefined> {
  const version = await execute(["kubectl", "version", "--client"]);
  if (version.code === 0) return undefined;
  return `SKIPPED: there is no kubectl here (https://kubernetes.io/docs/tasks/tools): ${version.errors}`;
}

export interface KubectlPlace {
  readonly target: Target;
  /** Of its caches and files. */
  readonly folder: string;
  readonly namespace: string;
  /** What `edit` runs. */
  readonly editor?: string;
}

/** Runs it in a namespace, which need not be there; `code`: what it has to end with. */
export function runKubectl({ target, folder, namespace, editor }: KubectlPlace) {
  const EDITOR = editor ?? "sed -i s/before/behind/";
  const env = { KUBECONFIG: target.clientConfig, HOME: folder, EDITOR, KUBE_EDITOR: "" };
  return async (args: readonly string[], code = 0): Promise<string> => {
    const command = ["kubectl", `--namespace=${namespace}`, `--cache-dir=${join(folder, "cache")}`, ...args];
    const exit = await execute(command, { cwd: folder, env, timeoutMs: 120_000 });
    const text = `${exit.output}${exit.errors}`;
    assert.equal(exit.code, code, `kubectl ${args.join(" ")}: ${text}`);
    return text;
  };
}

/** In a namespace that is made for it. */
export async function kubectlIn(place: KubectlPlace): Promise<Kubectl> {
  const { folder, namespace } = place;
  const run = runKubectl(place);
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, `${namespace}-${name}`);
    await writeFile(path, text);
    return path;
  };
  await run(["create", "namespace", namespace]);
  return Object.assign(run, { namespace, file });
}
