import { compared } from "../compared.js";
import { type Endpoint, httpRequest, once } from "../load/load.js";
import { measureFanOut, measureRequests, nameOf, type Timing } from "../runs.js";
import type { Row } from "../table.js";
import type { Server } from "./servers.js";
import { type Kind, labelQuery, patchOf } from "./things.js";

/** A server and the kind that it is asked for: a column of the table. */
export interface Column {
  readonly name: string;
  readonly server: Server;
  readonly kind: Kind;
}

/** Namespaces that are filled before anything is measured; creates go to one of their own, so that lists stay as long. */
export const namespaces = { all: "all", few: "few", watched: "watched", created: "created" } as const;
export const few = 500;
/** Objects that watched changes go around. */
export const watched = 64;
const watchers = 100;
const connections = 32;
const listConnections = 8;

interface Requests {
  readonly operation: string;
  readonly connections: number;
  readonly code: number;
  /** A list of all takes long enough to be looked at for longer. */
  readonly times: number;
  readonly request: (endpoint: Endpoint, kind: Kind, nth: number) => Buffer;
}

const read = (
  operation: string,
  pathOf: (kind: Kind, nth: number) => string,
  more: Partial<Requests> = {},
): Requests => ({
  operation,
  connections: listConnections,
  code: 200,
  times: 1,
  request: (endpoint, kind, nth) => httpRequest(endpoint, { method: "GET", path: pathOf(kind, nth) }),
  ...more,
});

/** What is asked for, in the table's order; `objects` of them are there. */
function requestsOf(objects: number): readonly Requests[] {
  const one = (kind: Kind, nth: number): string => `${kind.pathIn(namespaces.all)}/${nameOf((nth * 7919) % objects)}`;
  const all = (kind: Kind): string => kind.pathIn(namespaces.all);
  return [
    read("get Any", (kind, nth) => `${one(kind, nth)}?resourceVersion=0`, { connections }),
    read("get Most Recent", one, { connections }),
    read(`list ${few} Any`, (kind) => `${kind.pathIn(namespaces.few)}?resourceVersion=0`),
    {
      // No server can send again what it sent before.
      ...{
        operation: `list ${few} Any, each 9th request a patch in it`,
        connections: listConnections,
        code: 200,
        times: 1,
      },
      request: (endpoint, kind, nth) =>
        nth % 9 === 0
          ? patch(endpoint, `${kind.pathIn(namespaces.few)}/${nameOf(nth % few)}`, nth)
          : httpRequest(endpoint, { method: "GET", path: `${kind.pathIn(namespaces.few)}?resourceVersion=0` }),
    },
    read(`page of ${few} of all, Most Recent`, (kind) => `${all(kind)}?limit=${few}`),
    read("list all Any", (kind) => `${all(kind)}?resourceVersion=0`, { times: 2 }),
    read("label 1 in 10, Any", (kind) => `${all(kind)}?resourceVersion=0&${labelQuery}`),
    {
      ...{ operation: "create", connections, code: 201, times: 1 },
      request: (endpoint, kind, nth) =>
        httpRequest(endpoint, {
          method: "POST",
          path: kind.pathIn(namespaces.created),
          body: kind.body(`made-${nth}`),
        }),
    },
    {
      ...{ operation: "merge patch", connections, code: 200, times: 1 },
      request: (endpoint, kind, nth) => patch(endpoint, one(kind, nth), nth),
    },
  ];
}

function patch(endpoint: Endpoint, path: string, nth: number): Buffer {
  const contentType = "application/merge-patch+json";
  return httpRequest(endpoint, { method: "PATCH", path, body: patchOf(nth), contentType });
}

export interface Measuring {
  readonly timing: Timing;
  /** So often the columns take turns. */
  readonly rounds: number;
  readonly objects: number;
}

/** Every operation on every column, in turns: of each the row of the turn with the median of CPU time. Its mode is the column's name. */
export async function* measureAll(
  columns: readonly Column[],
  { timing, rounds, objects }: Measuring,
): AsyncGenerator<Row> {
  const sent = new Map<Column, number>();
  const count = (column: Column): number => {
    const nth = sent.get(column) ?? 0;
    sent.set(column, nth + 1);
    return nth;
  };
  for (const { operation, connections, code, times, request } of requestsOf(objects)) {
    const long = { warmupMs: timing.warmupMs * times, durationMs: timing.durationMs * times, rounds };
    yield* compared(columns, long, async (column, each) => {
      const run = {
        ...({ operation, connections, unit: "op/s" } as const),
        request: (endpoint: Endpoint) => request(endpoint, column.kind, count(column)),
        success: (answered: number) => answered === code,
        least: connections * 2,
      };
      return { ...(await measureRequests(column.server, run, { timing: each, floor: undefined })), mode: column.name };
    });
  }
  yield* compared(columns, { ...timing, rounds }, async (column, each) => {
    const path = column.kind.pathIn(namespaces.watched);
    const run = {
      ...{ operation: `watch fan-out, ${watchers} watchers`, watchers },
      watchPath: `${path}?watch=1&resourceVersion=${await newest(column, path)}`,
      event: (endpoint: Endpoint, nth: number) => patch(endpoint, `${path}/${nameOf(nth % watched)}`, count(column)),
    };
    return { ...(await measureFanOut(column.server, run, { timing: each, floor: undefined })), mode: column.name };
  });
}

async function newest({ server }: Column, path: string): Promise<string> {
  const [endpoint] = server.endpoints;
  if (endpoint === undefined) throw new TypeError("no endpoint");
  const { body } = await once(endpoint, { method: "GET", path: `${path}?limit=1` });
  const list: { metadata: { resourceVersion: string } } = JSON.parse(body?.toString() ?? "");
  return list.metadata.resourceVersion;
}
