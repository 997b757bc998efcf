import type { Profile } from "@orch/scheduling/framework/profile.js";
import { failed, type Rejection } from "@orch/scheduling/framework/status.js";
import { messageOf } from "@orch/status/message-of.js";
import type { Telemetry } from "./telemetry.js";

type Answer = Rejection | undefined;

/** Runs the plugins of an extension point, and tells how long they took. */
export interface Timed {
  atOnce(point: string, profile: Profile, work: () => Answer): Answer;
  /** What the work throws is a rejection too. */
  later(point: string, profile: Profile, work: () => Promise<Answer>): Promise<Answer>;
}

/** `now`: milliseconds of a clock that does not go back. */
export function createTimed({ took }: Pick<Telemetry, "took">, now: () => number): Timed {
  const told =
    (point: string, { schedulerName }: Profile, from: number) =>
    (answer: Answer) => {
      took(point, answer?.code ?? "Success", schedulerName, (now() - from) / 1000);
      return answer;
    };
  return {
    atOnce(point, profile, work) {
      const tell = told(point, profile, now());
      return tell(work());
    },
    async later(point, profile, work) {
      const tell = told(point, profile, now());
      return tell(await work().catch((error: unknown) => failed("", messageOf(error))));
    },
  };
}
