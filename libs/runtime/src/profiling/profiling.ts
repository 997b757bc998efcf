import type { Clock } from "../clock.js";
import type { ProfilingAnswer, ProfilingPages, ProfilingRequest } from "../service.js";
import { indexPage } from "./index-page.js";
import type { ProfileName } from "./take-profile.js";

export interface ProfilingOptions {
  readonly clock: Clock;
  /** The command line of this process. */
  readonly argv: readonly string[];
}

const root = "/debug/pprof";
const plain = "text/plain; charset=utf-8";
const defaultSeconds: Readonly<Record<ProfileName, number>> = { profile: 30, heap: 10, allocs: 10 };
const mostSeconds = 300;

/** Says to `go tool pprof` that the text of an error is for whoever asked. */
const errorHeaders = { "X-Go-Pprof": "1" };

/**
 * The profiles of this process, for whoever may see them: the caller asks who that is. One is taken at a time. What takes
 * them is loaded with the first that is asked for.
 */
export function createProfiling({ clock, argv }: ProfilingOptions): ProfilingPages {
  let taking: ProfileName | undefined;

  async function profile(name: ProfileName, { query, onClose }: ProfilingRequest): Promise<ProfilingAnswer> {
    const asked = readQuery(name, query);
    if (!asked.ok) return failed(400, asked.problem);
    if (taking !== undefined) return failed(500, busy(name, taking));
    taking = name;
    try {
      const gone = new AbortController();
      onClose(() => gone.abort());
      const { takeProfile } = await import("./take-profile.js");
      const body = await takeProfile({ name, ms: asked.seconds * 1_000, clock, signal: gone.signal });
      if (body === undefined) return failed(503, "the profile was given up: nobody waits for it");
      const headers = { "Content-Disposition": `attachment; filename="${name}.pb.gz"` };
      return { code: 200, type: "application/octet-stream", body, headers };
    } finally {
      taking = undefined;
    }
  }

  const answers = (name: string, request: ProfilingRequest): ProfilingAnswer | Promise<ProfilingAnswer> => {
    switch (name) {
      case "":
        return { code: 200, type: "text/html; charset=utf-8", body: indexPage() };
      case "cmdline":
        return { code: 200, type: plain, body: argv.join("\0") };
      case "profile":
      case "heap":
      case "allocs":
        return profile(name, request);
      default:
        return failed(404, "Unknown profile");
    }
  };

  return {
    covers: (path) => path === root || path.startsWith(`${root}/`),
    answer(request) {
      const { path, method } = request;
      if (method !== "GET") return failed(405, "profiles are read by GET", { Allow: "GET" });
      if (path === root) return { code: 301, type: plain, body: "", headers: { Location: `${root}/` } };
      return answers(path.slice(root.length + 1), request);
    },
  };
}

type Query = { readonly ok: true; readonly seconds: number } | { readonly ok: false; readonly problem: string };

function readQuery(name: ProfileName, query: URLSearchParams): Query {
  const debug = query.get("debug") ?? "";
  if (debug !== "" && debug !== "0") {
    return { ok: false, problem: 'invalid value for "debug" - profiles are answered as profile.proto alone' };
  }
  const text = query.get("seconds") ?? "";
  const seconds = text === "" ? defaultSeconds[name] : Number(text);
  const isRight = Number.isInteger(seconds) && seconds >= 1 && seconds <= mostSeconds;
  // `1e2` and ` 5` are numbers, too.
  if (isRight && (text === "" || text === String(seconds))) return { ok: true, seconds };
  return { ok: false, problem: `invalid value for "seconds" - must be an integer from 1 to ${mostSeconds}` };
}

const called: Readonly<Record<ProfileName, string>> = { profile: "cpu", heap: "heap", allocs: "allocation" };

const busy = (wanted: ProfileName, taking: ProfileName): string =>
  `Could not enable ${wanted === "profile" ? "CPU" : called[wanted]} profiling: ${called[taking]} profiling already in use`;

const failed = (code: number, text: string, headers: ProfilingAnswer["headers"] = {}): ProfilingAnswer => ({
  code,
  type: plain,
  body: `${text}\n`,
  headers: { ...errorHeaders, ...headers },
});
