import { readFileSync } from "node:fs";
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { messageOf } from "@orch/status/message-of.js";
import type { Flags } from "./flags/flags.js";
import { type ProgramText, startProgram } from "./start-program.js";

/** What a container engine gives a check until it counts as failed. */
const patienceMs = 4_000;
const mostOfAnswer = 4_096;

/**
 * The check of a container: asks the program that runs in it whether it is alive, or ready (`readyz`), where its own flags
 * say that it tells. Ends the process with 0 or 1 and a line that container engines keep.
 */
export async function runHealthCheck<F extends Flags>(program: ProgramText<F>, [kind = "livez"]: readonly string[]) {
  const { values } = await startProgram(program, flagsOf(readFileSync("/proc/1/cmdline", "utf8")));
  const base = healthAddress(new Map<string, unknown>(Object.entries(values)));
  const verdict = base === undefined ? unknownPort : await ask(new URL(kind, base)).catch(failed);
  process.stdout.write(`${verdict.text}\n`);
  process.exitCode = verdict.well ? 0 : 1;
}

export interface HealthVerdict {
  readonly well: boolean;
  readonly text: string;
}

const unknownPort: HealthVerdict = {
  well: false,
  text: "health is told on a port that the program picks itself: set --metrics-port or --secure-port",
};

const failed = (error: unknown): HealthVerdict => ({ well: false, text: messageOf(error) });

/** What stands after `main.js`, and after the word of a command, in the command line of a process; from `/proc/<pid>/cmdline`. */
export function flagsOf(commandLine: string): readonly string[] {
  const words = commandLine.split("\0").slice(0, -1);
  const rest = words.slice(words.findIndex((word) => word.endsWith("main.js")) + 1);
  return rest[0]?.startsWith("-") === false ? rest.slice(1) : rest;
}

/** Where a program with these values of flags tells of its health; undefined where it has picked the port itself. */
export function healthAddress(values: ReadonlyMap<string, unknown>): string | undefined {
  const isGateway = values.has("secure-port");
  const port = values.get(isGateway ? "secure-port" : "metrics-port");
  if (typeof port !== "number" || port === 0) return undefined;
  const isSecure = isGateway || (values.get("rpc-cert-file") ?? "") !== "";
  return `${isSecure ? "https" : "http"}://${ownHost(String(values.get("bind-address")))}:${port}/`;
}

/** A name for this machine that an address which is listened at answers to. */
function ownHost(bound: string): string {
  if (bound === "0.0.0.0" || bound === "") return "127.0.0.1";
  if (bound === "::") return "[::1]";
  return bound.includes(":") ? `[${bound}]` : bound;
}

/** Who refuses to tell strangers is alive all the same. */
const wellCodes = new Set([200, 401, 403]);

function ask(url: URL): Promise<HealthVerdict> {
  return new Promise((resolve, reject) => {
    // Its own address: whose certificate it shows is not in question.
    const options = { rejectUnauthorized: false, timeout: patienceMs, agent: false };
    const request = (url.protocol === "https:" ? getSecure : getPlain)(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text = (text + part).slice(0, mostOfAnswer);
      });
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0 } = response;
        resolve({ well: wellCodes.has(statusCode), text: `${url.pathname}: ${statusCode} ${text.trim()}` });
      });
    });
    request.on("timeout", () => request.destroy(new Error(`${url.href}: no answer in ${patienceMs} ms`)));
    request.on("error", reject);
  });
}
