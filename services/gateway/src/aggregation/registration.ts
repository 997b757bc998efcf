import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import { ApiError } from "@orch/status/api-error.js";
import type { ApiService } from "./api-service.js";
import type { ApiServices } from "./api-services.js";
import { localServices, markLabel, newObject, planFor, rightedFields } from "./local-services.js";
import type { ApiServiceWriter } from "./write.js";

export interface RegistrationDeps {
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
  readonly services: ApiServices;
  readonly write: ApiServiceWriter;
  readonly clock: Clock;
  /** Called once, when every group-version has its APIService. */
  readonly completed: () => void;
  /** Told of a write that failed several times; it is tried again. */
  readonly failed: (what: string, error: unknown) => void;
}

/** Changes of one moment are answered together. */
const gatherMs = 50;
const firstRetryMs = 250;
const longestRetryMs = 30_000;
/** How long a definition may be known to another gateway and not to this one. */
const graceMs = 1_000;
/** Between two corrections of one object, so that gateways that disagree do not write for ever. */
const correctMs = 5_000;
const toldAfter = 10;
/** Objects that are created together: readiness waits for all of them. */
const atOnce = 32;

/** Makes and keeps an APIService for each group-version that this gateway serves itself. */
export function createRegistration(deps: RegistrationDeps): { start(): void; stop(): void } {
  const { catalog, services, clock, naming } = deps;
  const label = markLabel(naming);
  /** When it was first seen that nobody wants it. */
  const unwanted = new Map<string, number>();
  const corrected = new Map<string, number>();
  let stopped = false;
  let cancel: (() => void) | undefined;
  let due = Number.POSITIVE_INFINITY;
  let busy = false;
  let isStart = true;
  let isComplete = false;
  let failures = 0;

  const plan = (ms: number): void => {
    const at = clock.monotonic() + ms;
    if (stopped || at >= due) return;
    due = at;
    cancel?.();
    cancel = clock.after(ms, () => void pass());
  };

  /** Those of which the time to go has come; for the others it looks again. */
  const ripe = (some: readonly ApiService[]): readonly ApiService[] => {
    const now = clock.monotonic();
    const names = new Set(some.map(({ name }) => name));
    for (const name of unwanted.keys()) if (!names.has(name)) unwanted.delete(name);
    return some.filter(({ name }) => {
      const since = unwanted.get(name) ?? now;
      unwanted.set(name, since);
      if (now - since >= graceMs) return true;
      plan(graceMs - (now - since));
      return false;
    });
  };

  const mayCorrect = (name: string): boolean => {
    const now = clock.monotonic();
    const last = corrected.get(name);
    if (last !== undefined && now - last < correctMs) {
      plan(correctMs - (now - last));
      return false;
    }
    corrected.set(name, now);
    return true;
  };

  const write = async (): Promise<void> => {
    const wanted = localServices(catalog.now, catalog.builtIn);
    const { create, change, remove } = planFor(wanted, services.byName, { label, isStart });
    for (let at = 0; at < create.length; at += atOnce) {
      const some = create.slice(at, at + atOnce);
      await Promise.all(some.map((one) => unlessOvertaken(() => deps.write.create(newObject(one, label)))));
    }
    for (const { from, to } of change) {
      if (mayCorrect(to.name)) await unlessOvertaken(() => deps.write.merge(from, rightedFields(to, label)));
    }
    const gone = isStart ? remove : ripe(remove);
    for (const one of gone) await unlessOvertaken(() => deps.write.remove(one));
  };

  const pass = async (): Promise<void> => {
    due = Number.POSITIVE_INFINITY;
    if (stopped) return;
    if (busy) return plan(gatherMs);
    busy = true;
    try {
      await write();
      failures = 0;
      isStart = false;
      if (!isComplete) deps.completed();
      isComplete = true;
    } catch (error) {
      failures++;
      if (failures === toldAfter && !stopped) deps.failed("APIServices cannot be written; trying again", error);
      plan(Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures, 16)));
    } finally {
      busy = false;
    }
  };

  return {
    start() {
      catalog.onChange(() => plan(gatherMs));
      services.onChange(({ before, after }) => {
        // What stays what it is, but for its status, needs nothing.
        const isStill = before !== undefined && after !== undefined && before.resourceVersion === after.resourceVersion;
        if (!isStart && !isStill) plan(gatherMs);
      });
      void Promise.all([catalog.loaded, services.loaded]).then(() => plan(0));
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}

/** Another gateway was faster, or a user: what they did is heard of soon. */
async function unlessOvertaken(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ApiError && overtaken.has(error.reason))) throw error;
  }
}

const overtaken: ReadonlySet<string> = new Set(["AlreadyExists", "Conflict", "NotFound"]);
