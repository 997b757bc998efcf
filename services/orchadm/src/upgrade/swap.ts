import { messageOf } from "@orch/status/message-of.js";
import type { Machine } from "../machine/machine.js";
import type { Change } from "./wanted-manifests.js";

export interface SwapOptions {
  readonly machine: Machine;
  readonly print: (text: string) => void;
  /** Where the old manifests are kept, as the machine has it. */
  readonly backup: string;
  /** Called before a unit's manifest changes: its certificates. */
  readonly prepare: (change: Change) => Promise<void>;
  /** Has a unit run by a manifest's text; resolves once it does and is well. */
  readonly restart: (change: Change, text: string) => Promise<void>;
}

const tag = "[upgrade/staticpods]";

/**
 * Changes manifests one after the other, each once the one before runs and is well. Where one is not, all that changed become
 * what they were.
 * @throws Error that says what went wrong, and what could not be put back
 */
export async function swapManifests(changes: readonly Change[], options: SwapOptions): Promise<void> {
  const { machine, print, backup, prepare, restart } = options;
  const done: Change[] = [];
  try {
    for (const change of changes) {
      const { name, path, before, wanted } = change;
      print(`${tag} Preparing for ${JSON.stringify(name)} upgrade\n`);
      if (before === wanted) {
        print(`${tag} Current and new manifests of ${name} are equal, skipping upgrade\n`);
        continue;
      }
      await prepare(change);
      machine.write(`${backup}/${name}.yaml`, before);
      done.push(change);
      machine.write(path, wanted);
      print(
        `${tag} Moved new manifest to ${JSON.stringify(machine.at(path))} and backed up old manifest to ${JSON.stringify(machine.at(`${backup}/${name}.yaml`))}\n`,
      );
      if (machine.isDry) continue;
      print(`${tag} Waiting for the component to be restarted\n`);
      await restart(change, wanted);
      print(`${tag} Component ${JSON.stringify(name)} upgraded successfully!\n`);
    }
  } catch (error) {
    const problems = await putBack(done, options);
    const more = problems.map((text) => `; ${text}`).join("");
    throw new Error(
      `couldn't upgrade control plane. Everything was put back into its earlier state as far as possible. Errors faced: ${messageOf(error)}${more}`,
      { cause: error },
    );
  }
}

/** The last one first. */
async function putBack(done: readonly Change[], { machine, print, restart }: SwapOptions): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const change of [...done].reverse()) {
    print(`${tag} Putting back the manifest of ${change.name}\n`);
    try {
      machine.write(change.path, change.before);
      await restart(change, change.before);
    } catch (error) {
      problems.push(`${change.name} could not be put back: ${messageOf(error)}`);
    }
  }
  return problems;
}
