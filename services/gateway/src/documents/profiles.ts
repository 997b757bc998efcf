import type { ProfilingPages } from "@orch/runtime/service.js";
import type { Exchange } from "../http/exchange.js";

/** Profiles of this process, for whoever is authorized for their path. */
export async function answerProfiles({ request, response }: Exchange, profiling: ProfilingPages): Promise<void> {
  const { method, path, query = new URLSearchParams() } = request;
  const onClose = (run: () => void): void => response.onClose(run);
  const { code, type, body, headers = {} } = await profiling.answer({ method, path, query, onClose });
  const more = Object.entries(headers).flat();
  response.send(code, ["Content-Type", type, "X-Content-Type-Options", "nosniff", ...more], body);
}
