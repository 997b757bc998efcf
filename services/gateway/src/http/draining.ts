import { Server } from "node:net";
import type { Connections } from "./connections.js";
import type { Http2Sessions } from "./http2/sessions.js";

/** How a server takes its leave of the clients that are connected. */
export interface Draining {
  readonly isLeaving: () => boolean;
  /** From now on each connection is told that its next answer is the last; nothing is refused yet. */
  leave(): void;
  /**
   * Takes no new connections and answers what comes on those that are there, each for the last time. Settles when all that
   * are left have begun their answers, or after `withinMs`; connections that fall idle later end as well.
   */
  drain(withinMs: number): Promise<void>;
  /** Looks for idle connections no more. */
  end(): void;
}

/** How often a draining server looks for connections that have fallen idle. */
const lookMs = 50;

export function createDraining(
  server: Server,
  connections: Pick<Connections, "dropQuiet" | "settled">,
  http2: Pick<Http2Sessions, "leave" | "dropQuiet" | "settled">,
): Draining {
  let leaving = false;
  let looking: NodeJS.Timeout | undefined;
  const leave = (): void => {
    if (!leaving) http2.leave();
    leaving = true;
  };
  const isSettled = (): boolean => connections.settled && http2.settled;
  return {
    isLeaving: () => leaving,
    leave,
    async drain(withinMs) {
      leave();
      // Node's own close of an HTTP server also cuts idle connections, on which a request may be under way.
      if (looking === undefined) Server.prototype.close.call(server);
      clearInterval(looking);
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, withinMs);
        const look = (): void => {
          if (!isSettled()) return;
          clearTimeout(late);
          resolve();
        };
        looking = setInterval(() => {
          connections.dropQuiet();
          http2.dropQuiet();
          look();
        }, lookMs);
        look();
      });
    },
    end: () => clearInterval(looking),
  };
}
