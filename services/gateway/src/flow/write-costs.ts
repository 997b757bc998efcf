import type { Target } from "@orch/status/target.js";
import type { HttpRequest } from "../http/request.js";

/**
 * What writes cost. The bytes of a body are announced, or taken to be those of the last one like it; those of the object
 * that it changes are what the last change of that object answered. What so many bytes cost is told by the last large
 * write of the same verb and resource: text in one piece costs little, thousands of small parts cost much.
 */
export interface WriteCosts {
  /** How many seats a write is worth, before its level's bound. */
  seats(verb: string, target: Target, request: Pick<HttpRequest, "header">): number;
  learn(verb: string, target: Target, write: Written): void;
}

export interface Written {
  /** Of its body. */
  readonly bytes: number;
  /** Of its answer: most often the object. 0 of a refusal. */
  readonly answered: number;
  readonly tookMs: number;
}

/** As lists are counted. */
const bytesPerSeat = 100_000;
/** What as many bytes of an ordinary object take. */
const msPerSeat = 10;
/** Kinds, and objects, that are remembered. */
const remembered = 1000;

interface Last {
  readonly bytes: number;
  readonly msPerByte: number;
}

export function createWriteCosts(): WriteCosts {
  // Only of large writes: an ordinary one neither writes here nor finds anything.
  const kinds = new Map<string, Last>();
  const objects = new Map<string, number>();
  return {
    seats(verb, target, request) {
      const announced = request.header("content-length");
      if (Number(announced ?? 0) < bytesPerSeat && kinds.size === 0) return 1;
      const last = kinds.get(kindOf(verb, target));
      const length = announced === undefined && hasBody(request) ? (last?.bytes ?? 0) : Number(announced ?? 0);
      const bytes = Math.max(length, objects.get(objectOf(target)) ?? 0);
      // A small write is one seat, whatever a large one cost.
      if (bytes < bytesPerSeat) return 1;
      const ms = bytes * (last?.msPerByte ?? 0);
      return Math.ceil(Math.max(bytes / bytesPerSeat, ms / msPerSeat));
    },
    learn(verb, target, { bytes, answered, tookMs }) {
      const size = Math.max(bytes, answered);
      if (size < bytesPerSeat) {
        if (objects.size > 0 && answered > 0) objects.delete(objectOf(target));
        return;
      }
      keep(kinds, kindOf(verb, target), { bytes, msPerByte: tookMs / size });
      // A refusal does not tell the size of the object.
      if (target.name !== "" && answered > 0) keep(objects, objectOf(target), answered);
    },
  };
}

const hasBody = (request: Pick<HttpRequest, "header">): boolean => request.header("transfer-encoding") !== undefined;

const kindOf = (verb: string, { group, resource }: Target): string => `${verb} ${group}/${resource}`;

const objectOf = ({ group, resource, namespace, name }: Target): string => `${group}/${resource}/${namespace}/${name}`;

/** The entry that was used last is forgotten last. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > remembered && oldest !== undefined) map.delete(oldest);
}
