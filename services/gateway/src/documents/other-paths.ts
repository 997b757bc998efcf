import type { ProfilingPages } from "@orch/runtime/service.js";
import type { Exchange } from "../http/exchange.js";
import type { ExpressPathsDeps } from "./express-paths.js";
import { answerProfiles } from "./profiles.js";
import { answerVerbosity, type SetVerbosity, verbosityPath } from "./verbosity.js";

export interface OtherPathsDeps extends ExpressPathsDeps {
  /** `/healthz`, `/livez`, `/readyz` and the checks below them; undefined for another path. */
  readonly health: (path: string, query: URLSearchParams) => Promise<{ code: number; body: string } | undefined>;
  /** Of this process's log; absent where one process is asked for others. */
  readonly setVerbosity?: SetVerbosity | undefined;
  /** Of this process; absent with `--profiling=false`. */
  readonly profiling?: ProfilingPages | undefined;
}

type Answer = (exchange: Exchange) => Promise<void>;

/**
 * Everything outside the resource paths. Probes are answered here; what answers the rest is loaded when it is first
 * asked for, so that no start waits for it.
 */
export function createOtherPaths(deps: OtherPathsDeps): Answer {
  let rest: Promise<Answer> | undefined;
  return async (exchange) => {
    const { method, path, query } = exchange.request;
    const reads = method === "GET" || method === "HEAD";
    const answer = reads ? await deps.health(path, query ?? new URLSearchParams()) : undefined;
    if (answer !== undefined) return exchange.response.send(answer.code, probeHeaders, answer.body);
    if (path === verbosityPath && deps.setVerbosity !== undefined) return answerVerbosity(exchange, deps.setVerbosity);
    if (deps.profiling?.covers(path) === true) return answerProfiles(exchange, deps.profiling);
    rest ??= import("./express-paths.js").then(({ createExpressPaths }) => createExpressPaths(deps));
    await (await rest)(exchange);
  };
}

const probeHeaders = ["Content-Type", "text/plain; charset=utf-8", "X-Content-Type-Options", "nosniff"];
