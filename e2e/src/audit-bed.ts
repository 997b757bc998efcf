import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "@orch/status/read-json.js";
import { until } from "./harness/until.js";

/** An event as it stands in the log. */
export interface LoggedEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly level: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: object;
  readonly sourceIPs: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: object;
  readonly responseStatus?: {
    readonly code: number;
    readonly status?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: { readonly name?: string; readonly group?: string; readonly kind?: string };
  };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The events of a log; half a line at its end is not there yet. */
export async function eventsIn(path: string): Promise<readonly LoggedEvent[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole.split("\n").flatMap((line): LoggedEvent[] => (line === "" ? [] : [readJson(line)]));
}

/** The events of a request, once there are so many. */
export function eventsOf(path: string, id: string, count: number): Promise<readonly LoggedEvent[]> {
  return until(`${count} events of ${id} in ${path}`, async () => {
    const events = (await eventsIn(path)).filter(({ auditID }) => auditID === id);
    return events.length >= count ? events : undefined;
  });
}

/** Writes a policy; the rest of the file is its rules. */
export async function writePolicy(folder: string, rules: readonly object[], group = "audit.k8s.io"): Promise<string> {
  const path = join(folder, "policy.yaml");
  await writeFile(path, JSON.stringify({ apiVersion: `${group}/v1`, kind: "Policy", rules }));
  return path;
}

/** Annotations but for those of a request that took long: how fast a machine is, is not what is tested. */
export function withoutLatencies(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith("apiserver.latency.")));
}
