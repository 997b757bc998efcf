import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Client } from "./client.js";
import type { Mirror, ViewOptions } from "./mirror.js";
import { type ApiObject, isRecord } from "./objects.js";
import { pause, type Timer } from "./pause.js";

export interface MirrorAsDeps {
  /** Of whoever looks. */
  readonly client: Pick<Client, "create">;
  readonly naming: Naming;
  readonly clock: Timer;
  /** In [0, 1). */
  readonly random: () => number;
}

/** A watch of one's own would begin anew, and be authorized anew, after so long or twice as long. */
const askedEveryMs = 5 * 60_000;
const firstDelayMs = 200;
const longestDelayMs = 30_000;

/**
 * A mirror that somebody else reads, as one client may see it: its views follow a collection while the client's own user may
 * list and watch it, which the server is asked before and then again and again. A view without that right is told Forbidden,
 * and keeps what it saw before, as after a watch that was refused.
 */
export function mirrorAs(mirror: Mirror, { client, naming, clock, random }: MirrorAsDeps): Mirror {
  const reviews = { group: naming.group("authorization"), version: "v1", resource: "selfsubjectaccessreviews" };

  /** What is refused; undefined where nothing is. @throws ApiError */
  async function refusalOf(options: Followed, signal: AbortSignal): Promise<ApiError | undefined> {
    const { collection, labelSelector = "", fieldSelector = "" } = options;
    for (const verb of ["list", "watch"]) {
      const resourceAttributes = {
        ...{ ...collection, verb },
        ...(labelSelector === "" ? {} : { labelSelector: { rawSelector: labelSelector } }),
        ...(fieldSelector === "" ? {} : { fieldSelector: { rawSelector: fieldSelector } }),
      };
      const review = await client.create(reviews, { metadata: {}, spec: { resourceAttributes } }, { signal });
      const { status } = review;
      if (isRecord(status) && status["allowed"] === true) continue;
      const reason = isRecord(status) && typeof status["reason"] === "string" ? `: ${status["reason"]}` : "";
      return new ApiError("Forbidden", `cannot ${verb} ${collection.resource}${reason}`);
    }
    return undefined;
  }

  /** Follows for as long as that is allowed; what was refused, unless the signal ends it. @throws ApiError */
  async function followWhileAllowed(
    options: Followed,
    run: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<ApiError | undefined> {
    const refused = await refusalOf(options, signal);
    if (refused !== undefined) return refused;
    const term = new AbortController();
    const following = run(AbortSignal.any([signal, term.signal]));
    let lost: ApiError | undefined;
    while (!signal.aborted && lost === undefined) {
      await pause(askedEveryMs * (1 + random()), { clock, signal });
      // Who cannot be asked has not refused: a watch of one's own would go on as well.
      if (!signal.aborted) lost = await refusalOf(options, signal).catch(() => undefined);
    }
    term.abort(lost);
    await following;
    return lost;
  }

  return {
    view(options) {
      const view = mirror.view(options);
      const run = async (signal: AbortSignal): Promise<void> => {
        let delay = firstDelayMs;
        while (!signal.aborted) {
          const error = await followWhileAllowed(options, view.run, signal).catch((thrown: unknown) => thrown);
          if (signal.aborted) return;
          options.onError(error);
          await pause(delay / 2 + (delay / 2) * random(), { clock, signal });
          delay = Math.min(longestDelayMs, delay * 2);
        }
      };
      return { ...view, run };
    },
  };
}

type Followed = Pick<ViewOptions<ApiObject>, "collection" | "labelSelector" | "fieldSelector">;
