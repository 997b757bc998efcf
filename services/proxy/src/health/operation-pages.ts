import type { ProfilingPages } from "@orch/runtime/service.js";
import { type Answer, type AnyPage, type Asked, notFound, plain } from "./page-server.js";

export interface OperationPagesOptions {
  readonly metrics: () => Promise<string>;
  readonly mode: string;
  /** The configuration in force. */
  readonly configText: string;
  /** Answers `/healthz`. */
  readonly health: Answer;
  /** Undefined where the configuration does not enable it. */
  readonly profiling: ProfilingPages | undefined;
}

/** What is served for whoever runs the proxy. */
export function operationPages({ metrics, mode, configText, health, profiling }: OperationPagesOptions): Answer {
  return async (path, asked): Promise<AnyPage> => {
    if (path === "/metrics") {
      return { code: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: await metrics() };
    }
    if (path === "/proxyMode") return { code: 200, type: plain, body: mode };
    if (path === "/configz") return { code: 200, type: "application/yaml", body: configText };
    if (profiling?.covers(path) === true) return profileOf(profiling, path, asked);
    return path === "/healthz" ? health(path, asked) : notFound;
  };
}

function profileOf(profiling: ProfilingPages, path: string, { request, response }: Asked): AnyPage | Promise<AnyPage> {
  const query = new URL(request.url ?? "/", "http://localhost").searchParams;
  const onClose = (run: () => void): void => void response.once("close", run);
  return profiling.answer({ method: request.method ?? "GET", path, query, onClose });
}
