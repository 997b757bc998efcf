import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { CredentialTools } from "../credentials/exec-plugin.js";

/** Tools whose time goes on when the test says so. */
export function createTools(more: Partial<CredentialTools> = {}) {
  let time = Date.parse("2026-01-01T00:00:00Z");
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const tools: CredentialTools = {
    clock: {
      now: () => time,
      after(ms, run) {
        const timer = { at: time + ms, run };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    environment: { PATH: process.env["PATH"] },
    interactive: false,
    ...more,
  };
  return {
    tools,
    now: () => time,
    advance(ms: number) {
      time += ms;
      for (const timer of timers) if (timer.at <= time && timers.delete(timer)) timer.run();
    },
    timers: () => timers.size,
  };
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "client-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A program that prints what `answer` holds, a file beside it, and keeps a line of what it was told for each run; `body`
 * is put before that.
 */
export async function writePlugin(folder: string, body = "") {
  const path = join(folder, "plugin");
  const answer = join(folder, "answer");
  const runs = join(folder, "runs");
  await writeFile(
    path,
    `#!${process.execPath}
const fs = require("node:fs");
const { ORCH_EXEC_INFO, KUBERNETES_EXEC_INFO, OWN } = process.env;
const told = { args: process.argv.slice(2), orch: ORCH_EXEC_INFO, kubernetes: KUBERNETES_EXEC_INFO, own: OWN };
fs.appendFileSync(${JSON.stringify(runs)}, JSON.stringify(told) + "\\n");
${body}
process.stdout.write(fs.readFileSync(${JSON.stringify(answer)}));
`,
  );
  await chmod(path, 0o700);
  return {
    path,
    answers: (value: unknown) => writeFile(answer, typeof value === "string" ? value : JSON.stringify(value)),
    async runs(): Promise<readonly Readonly<Record<string, unknown>>[]> {
      const lines = (await readFile(runs, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line));
    },
  };
}
