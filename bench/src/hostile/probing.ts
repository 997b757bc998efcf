import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isObject } from "@orch/schema/descriptor.js";
import type { Endpoint } from "../load/load.js";

export interface Probed {
  /** Milliseconds of each get. */
  readonly took: readonly number[];
  readonly failures: number;
}

export interface Probing {
  end(): Promise<Probed>;
}

/** Times gets from a process of its own, which nothing else keeps waiting. */
export async function startProbing({ host, port, token }: Endpoint, path: string): Promise<Probing> {
  const script = fileURLToPath(new URL("./prober.js", import.meta.url));
  const child = spawn(process.execPath, [script, host, String(port), token, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (part: string) => {
    text += part;
  });
  await once(child.stdout, "data");
  const closed = once(child, "close");
  return {
    async end() {
      child.kill("SIGTERM");
      await closed;
      const last: unknown = JSON.parse(text.trim().split("\n").at(-1) ?? "");
      if (!isObject(last) || !Array.isArray(last["took"])) throw new Error("the prober told nothing");
      return { took: last["took"].map(Number), failures: Number(last["failures"]) };
    },
  };
}
