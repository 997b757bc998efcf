import type { Reached, Received } from "../call.js";

/**
 * Takes what is known of a request and gives back what is known then. It does so at once where nothing has to be waited
 * for: a promise a stage would cost more than most stages do.
 * @throws ApiError to answer the request with it
 */
export type Stage<Before, After> = (call: Before) => After | Promise<After>;

/** Answers a call. */
export type Handler<Call> = (call: Call) => void | Promise<void>;

/** A request under way; `reached` is the value of its last stage, whatever becomes of the next one. */
export interface Journey {
  reached: Reached;
}

/** Stages in their order. A stage takes what the one before gives: another order does not compile. */
export interface Stages<Last extends Reached> {
  to<Next extends Last & Reached>(stage: Stage<Last, Next>): Stages<Next>;
  end(handler: Handler<Last>): Handler<Journey>;
}

type Run<Last> = (journey: Journey, first: Received) => Last | Promise<Last>;

/** No stages yet. */
export function stages(): Stages<Received> {
  return following((_journey, first) => first);
}

function following<Last extends Reached>(run: Run<Last>): Stages<Last> {
  return {
    to: (stage) =>
      following((journey, first) => {
        const call = run(journey, first);
        return call instanceof Promise ? call.then((known) => step(journey, stage, known)) : step(journey, stage, call);
      }),
    end: (handler) => (journey) => {
      const call = run(journey, journey.reached);
      return call instanceof Promise ? call.then(handler) : handler(call);
    },
  };
}

function step<Before, After extends Reached>(
  journey: Journey,
  stage: Stage<Before, After>,
  call: Before,
): After | Promise<After> {
  const next = stage(call);
  if (next instanceof Promise) return next.then((after) => reach(journey, after));
  return reach(journey, next);
}

function reach<Call extends Reached>(journey: Journey, call: Call): Call {
  journey.reached = call;
  return call;
}
