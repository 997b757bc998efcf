import { readJson } from "@orch/status/read-json.js";
import type { Api } from "./client.js";
import { asFailure, type Failure, failureOf } from "./failure.js";
import { patchRows, type RowChange, sortRows } from "./patch-rows.js";
import { query } from "./paths.js";
import { type Column, type Row, tableEventOf, tableOf } from "./table.js";

/** What is known of a collection at a moment. */
export interface TableState {
  readonly phase: "loading" | "live" | "reconnecting" | "failed";
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Keys of rows that changed with the last event. */
  readonly changed: ReadonlySet<string>;
  /** How many are still to come of a list under way. */
  readonly remaining: number;
  readonly failure?: Failure;
}

export const emptyTable: TableState = { phase: "loading", columns: [], rows: [], changed: new Set(), remaining: 0 };

export interface LiveTableOptions {
  readonly api: Api;
  /** Of the collection. */
  readonly path: string;
  readonly accept: string;
  readonly labels: string;
  readonly watches: boolean;
  readonly signal: AbortSignal;
  /** At most once a frame. */
  readonly show: (state: TableState) => void;
  /** Runs before the next frame is painted. */
  readonly beforeFrame: (run: () => void) => void;
  readonly after: (ms: number, run: () => void) => void;
}

const pageSize = 1000;
/** So many changes are taken in without a frame: a page in the background gets none. */
const mostWaiting = 5000;

/** Lists a collection and keeps it live until the signal: events that come within a frame are shown in one. */
export function followTable(options: LiveTableOptions): void {
  const { api, path, accept, labels, signal } = options;
  let state = emptyTable;
  let waiting: RowChange[] = [];
  let isFrameAsked = false;

  const show = (next: Partial<TableState>): void => {
    if (signal.aborted) return;
    state = { ...state, ...next };
    options.show(state);
  };
  const flush = (): void => {
    isFrameAsked = false;
    if (waiting.length === 0) return;
    const changes = waiting;
    waiting = [];
    show({ rows: patchRows(state.rows, changes), changed: new Set(changes.map(({ key }) => key)) });
  };
  const take = (change: RowChange): void => {
    waiting.push(change);
    if (waiting.length >= mostWaiting) flush();
    if (isFrameAsked) return;
    isFrameAsked = true;
    options.beforeFrame(flush);
  };

  /** The revision from which a watch goes on. */
  async function list(): Promise<string> {
    let [rows, columns, from]: [Row[], readonly Column[], string] = [[], [], ""];
    const isFirst = state.phase === "loading";
    for (;;) {
      const asked = query({ limit: pageSize, continue: from, labelSelector: labels });
      const table = tableOf(await api.get(path + asked, { accept, signal }));
      rows = rows.concat(table.rows);
      if (columns.length === 0) columns = table.columns;
      const isLast = table.next === "";
      // What is shown of a list anew does not shrink meanwhile.
      if (isFirst || isLast)
        show({ columns, rows: sortRows(rows), changed: new Set(), remaining: isLast ? 0 : table.remaining });
      if (isLast) return table.resourceVersion;
      from = table.next;
    }
  }

  /** Ends normally where the server ended it; gives the revision that was reached. */
  async function watch(from: string): Promise<string> {
    let at = from;
    let problem: Failure | undefined;
    const asked = query({ watch: true, resourceVersion: from, allowWatchBookmarks: true, labelSelector: labels });
    const opened = (): void => {
      failures = 0;
      if (state.phase !== "live") show({ phase: "live" });
    };
    const takeLine = (line: string): void => {
      const event = tableEventOf(readJson(line));
      if (event.type === "error") problem = failureOf(500, event.document);
      else if (event.type === "bookmark") at = event.resourceVersion;
      else
        for (const row of event.rows) {
          at = row.resourceVersion;
          take({ key: row.key, row: event.change === "delete" ? undefined : row });
        }
    };
    try {
      await api.lines(path + asked, takeLine, { accept, signal, opened });
    } catch (error) {
      throw problem ?? Object.assign(asFailure(error), { reached: at });
    }
    if (problem !== undefined) throw problem;
    return at;
  }

  let failures = 0;
  async function follow(): Promise<void> {
    let at = "";
    while (!signal.aborted) {
      try {
        if (at === "") at = await list();
        if (!options.watches) return show({ phase: "live" });
        at = await watch(at);
      } catch (error) {
        if (signal.aborted) return;
        const failure = asFailure(error);
        const isLost = failure.status === 410;
        if (isLost) at = "";
        else if ("reached" in failure && typeof failure.reached === "string") at = failure.reached;
        if (failure.status >= 400 && failure.status < 500 && !isLost && failure.status !== 429)
          return show({ phase: "failed", failure });
        show({ phase: state.columns.length === 0 ? "loading" : "reconnecting", failure });
        failures += 1;
        if (!isLost || failures > 1) await pause(Math.min(10_000, 250 * 2 ** failures));
      }
    }
  }
  const pause = (ms: number): Promise<void> => new Promise((resolve) => options.after(ms, resolve));
  void follow();
}
