import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { within } from "@orch/client/within.js";
import type { Extender as Configuration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import type { Clock } from "@orch/status/clock.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { Agent, request } from "undici";

/** Asks an extender for a verb. @throws Error that says what failed with which one */
export type Ask = (verb: string, body: object, signal: AbortSignal) => Promise<unknown>;

const defaultTimeoutMs = 5_000;
/** Nodes of a large cluster, whole. */
const mostBytes = 256 * 1024 * 1024;

/** Connections to an extender, by JSON over HTTP or HTTPS. */
export function createAsk(
  configuration: Configuration,
  { clock }: { readonly clock: Clock },
): { readonly ask: Ask; close(): Promise<void> } {
  const { urlPrefix, httpTimeout } = configuration;
  const timeoutMs = durationMs(httpTimeout) || defaultTimeoutMs;
  const agent = new Agent({ connections: 16, maxResponseSize: mostBytes, connect: tlsOf(configuration) });
  return {
    close: () => agent.close(),
    async ask(verb, body, signal) {
      const url = `${urlPrefix.endsWith("/") ? urlPrefix.slice(0, -1) : urlPrefix}/${verb}`;
      try {
        // By a timer of ours: combined with others, a signal of AbortSignal.timeout may be collected before it fires (Node 20).
        return await within(timeoutMs, { clock, signal }, async (inTime) => {
          const answer = await request(url, {
            ...{ dispatcher: agent, method: "POST", body: JSON.stringify(body), signal: inTime },
            headers: { "content-type": "application/json" },
          });
          const bytes = Buffer.from(await answer.body.arrayBuffer());
          if (answer.statusCode !== 200) throw new Error(`code ${answer.statusCode}`);
          return bytes.length === 0 ? undefined : readJson(bytes.toString("utf8"));
        });
      } catch (error) {
        throw new Error(`failed ${verb} with extender at URL ${urlPrefix}, ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

/** What keeps extenders from being asked at all: files and certificates of theirs that cannot be read. */
export function extendersProblem(extenders: readonly Configuration[]): string | undefined {
  for (const [i, extender] of extenders.entries()) {
    try {
      createSecureContext(tlsOf(extender));
    } catch (error) {
      return `extenders[${i}].tlsConfig: ${messageOf(error)}`;
    }
  }
  return undefined;
}

/** Data stands as bytes in the file, base64 in its text. With `enableHTTPS` and no authority nobody is asked who the server is. */
export function tlsOf({ enableHTTPS, tlsConfig }: Pick<Configuration, "enableHTTPS" | "tlsConfig">): object {
  if (tlsConfig === undefined) return enableHTTPS ? { rejectUnauthorized: false } : {};
  const { insecure, serverName, certFile, keyFile, caFile, certData, keyData, caData } = tlsConfig;
  const part = (data: unknown, file: string): Buffer | undefined => {
    if (typeof data === "string" && data !== "") return Buffer.from(data, "base64");
    return file === "" ? undefined : readFileSync(file);
  };
  const [ca, cert, key] = [part(caData, caFile), part(certData, certFile), part(keyData, keyFile)];
  return {
    ...(insecure || (enableHTTPS && ca === undefined) ? { rejectUnauthorized: false } : {}),
    ...(serverName === "" ? {} : { servername: serverName }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}
