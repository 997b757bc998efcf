import type { IncomingMessage } from "node:http";
import { type ApiObject, isApiObject } from "@orch/client/objects.js";
import { linesOf } from "@orch/client/watch.js";
import type { EventReader } from "./event-readers.js";

export interface WatchEvent {
  readonly type: string;
  readonly object: ApiObject;
  /** `ADDED a@17`, short enough for whole histories to be compared. */
  readonly text: string;
}

/** A running watch, read event by event. */
export interface WatchStream {
  /** The next event; undefined when the server has ended the watch. @throws Error when nothing comes for long */
  next(): Promise<WatchEvent | undefined>;
  /** That many events. @throws Error when the watch ends before */
  take(count: number): Promise<readonly WatchEvent[]>;
  /** Everything up to the end that the server sets. */
  rest(): Promise<readonly WatchEvent[]>;
  close(): void;
}

const patienceMs = 60_000;

const jsonEvents: EventReader = async function* (chunks) {
  for await (const line of linesOf(chunks)) yield JSON.parse(line.toString("utf8"));
};

export function readWatch(response: IncomingMessage, read: EventReader = jsonEvents): WatchStream {
  const events = read(response);
  const next = async (): Promise<WatchEvent | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no watch event within ${patienceMs} ms`)), patienceMs);
    });
    try {
      const step = await Promise.race([events.next(), silence]);
      return step.done === true ? undefined : eventOf(step.value);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    next,
    async take(count) {
      const events: WatchEvent[] = [];
      while (events.length < count) {
        const event = await next();
        if (event === undefined) throw new Error(`the watch ended after ${events.map((e) => e.text).join(", ")}`);
        events.push(event);
      }
      return events;
    },
    async rest() {
      const events: WatchEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    },
    close: () => void response.destroy(),
  };
}

function eventOf(parsed: unknown): WatchEvent {
  if (!isEvent(parsed)) throw new Error(`no watch event: ${JSON.stringify(parsed)}`);
  const { name = "", resourceVersion = "" } = parsed.object.metadata;
  return { type: parsed.type, object: parsed.object, text: `${parsed.type} ${name}@${resourceVersion}` };
}

function isEvent(value: unknown): value is { readonly type: string; readonly object: ApiObject } {
  if (typeof value !== "object" || value === null || !("type" in value) || !("object" in value)) return false;
  return typeof value.type === "string" && isApiObject(value.object);
}
