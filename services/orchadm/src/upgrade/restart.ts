import { probe, until } from "../phases/wait.js";
import { unitOfManifest } from "../runner/manifest.js";
import type { Runner } from "../runner/unit.js";
import type { Tools } from "../world.js";
import type { Change } from "./wanted-manifests.js";

export interface RestartOptions {
  readonly runner: Runner;
  readonly timeoutMs: number;
}

/** Has a unit run by a manifest's text; resolves once its process is that of the text, and well. */
export async function restartUnit(
  { component }: Pick<Change, "component">,
  text: string,
  { runner, timeoutMs }: RestartOptions,
  tools: Tools,
): Promise<void> {
  const unit = unitOfManifest(text);
  await runner.start(unit);
  await until(
    async () => {
      // Who else runs it is not asked: its health says all that can be known.
      if (runner.kind !== "none") {
        const status = await runner.status(unit.name);
        if (status?.hash !== unit.hash) throw new Error("it still runs by its old manifest");
        if (status.state !== "running") throw new Error(status.problem ?? `it is ${status.state}`);
      }
      if (unit.readiness !== undefined) await probe(readyUrl(component, unit.readiness.url));
    },
    { what: `${unit.name} does not become healthy`, timeoutMs },
    tools,
  );
}

/** A server that lives may still load what it serves. */
const readyUrl = (component: Change["component"], url: string): string =>
  component === "apiserver" ? new URL("/readyz", url).href : url;
