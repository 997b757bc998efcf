import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Kind } from "../api/discovery.js";
import { emptyTable, followTable, type TableState } from "../api/live-table.js";
import { collectionPath } from "../api/paths.js";
import { type Row, tableType } from "../api/table.js";
import { useConsole } from "../context.js";
import { useKeys, useTitle } from "../hooks.js";
import { FailureView } from "../parts/failure-view.js";
import { Grid } from "../parts/grid.js";
import { NamespaceChooser } from "../parts/namespace-chooser.js";
import { Empty, Loading } from "../parts/small.js";
import { arrange, type Sorting } from "../parts/sort.js";
import { type ListQuery, listRoute, objectRoute } from "../routes.js";

export interface ListPageProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly labels: string;
  readonly search: string;
}

/** All objects of a kind, as they are now. */
export function ListPage({ kind, namespace, labels, search: searched }: ListPageProps): JSX.Element {
  const { go } = useConsole();
  const table = useTable(kind, { namespace, labels });
  const [search, setSearch] = useState(searched);
  const [sorting, setSorting] = useState<Sorting>({ by: "", descending: false });
  const [showsAll, setShowsAll] = useState(false);
  const [current, setCurrent] = useState("");
  const searchBox = useRef<HTMLInputElement>(null);
  useTitle(kind.kind);

  const columns = useMemo(
    () => table.columns.filter(({ priority }) => showsAll || priority === 0),
    [table.columns, showsAll],
  );
  const rows = useMemo(
    () => arrange(table.rows, { columns: table.columns, search, sorting }),
    [table.rows, table.columns, search, sorting],
  );
  const to = (change: ListQuery): void => go(listRoute(kind, { namespace, labels, search, ...change }));
  const hrefOf = ({ namespace: inside, name }: Row): string => objectRoute(kind, { namespace: inside, name });
  const move = (by: number): void => {
    const at = rows.findIndex(({ key }) => key === current);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
    if (next !== undefined) setCurrent(next.key);
  };
  const open = (): void => {
    // Who left a search before its rows came means the first of them.
    const row = rows.find(({ key }) => key === current) ?? (search === "" ? undefined : rows[0]);
    if (row !== undefined) go(hrefOf(row));
  };
  const sort = (by: string): void =>
    setSorting((now) =>
      now.by !== by
        ? { by, descending: false }
        : now.descending
          ? { by: "", descending: false }
          : { by, descending: true },
    );
  useKeys([
    { keys: "/", help: "search", run: () => searchBox.current?.focus() },
    { keys: "j", help: "next row", run: () => move(1) },
    { keys: "k", help: "row before", run: () => move(-1) },
    { keys: "ArrowDown", help: "next row", run: () => move(1) },
    { keys: "ArrowUp", help: "row before", run: () => move(-1) },
    { keys: "G", help: "last row", run: () => setCurrent(rows.at(-1)?.key ?? "") },
    { keys: "Enter", help: "open the row", run: open },
    { keys: "w", help: "more columns", run: () => setShowsAll(!showsAll) },
  ]);
  const leaveSearch = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    if (event.key === "Escape") setSearch("");
    event.preventDefault();
    event.stopPropagation();
    searchBox.current?.blur();
    if (event.key === "Enter" && rows[0] !== undefined) setCurrent(rows[0].key);
  };
  return (
    <section class="page page-list" aria-label={kind.plural}>
      <header class="page-head">
        <h1>{kind.kind}</h1>
        <Count table={table} shown={rows.length} />
        <div class="tools">
          {kind.namespaced && <NamespaceChooser namespace={namespace} choose={(chosen) => to({ namespace: chosen })} />}
          <LabelFilter labels={labels} choose={(chosen) => to({ labels: chosen })} />
          <input
            ref={searchBox}
            type="search"
            placeholder="Search  /"
            aria-label="Search rows"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={leaveSearch}
          />
          <label class="check">
            <input type="checkbox" checked={showsAll} onChange={() => setShowsAll(!showsAll)} /> All columns
          </label>
        </div>
      </header>
      {table.failure !== undefined && table.phase === "failed" ? (
        <FailureView failure={table.failure} what={`${kind.plural} cannot be listed`} />
      ) : table.columns.length === 0 ? (
        <Loading what={`Listing ${kind.plural}…`} />
      ) : rows.length === 0 && table.phase !== "loading" ? (
        <NoRows kind={kind} {...{ namespace, isFiltered: table.rows.length > 0 || labels !== "" }} />
      ) : (
        <Grid
          label={kind.plural}
          showsNamespace={kind.namespaced && namespace === ""}
          {...{ columns, rows, sorting, sort, current, setCurrent, hrefOf }}
          changed={table.changed}
        />
      )}
    </section>
  );
}

function NoRows({
  kind,
  namespace,
  isFiltered,
}: {
  readonly kind: Kind;
  readonly namespace: string;
  readonly isFiltered: boolean;
}): JSX.Element {
  const where = namespace === "" ? "" : ` in ${namespace}`;
  if (isFiltered) return <Empty title="Nothing matches">Loosen the search or the labels.</Empty>;
  return (
    <Empty title={`No ${kind.plural}${where}`}>
      <p>They appear here as soon as there are some.</p>
    </Empty>
  );
}

function Count({ table, shown }: { readonly table: TableState; readonly shown: number }): JSX.Element {
  const total = table.rows.length + table.remaining;
  const count = shown === total ? total.toLocaleString() : `${shown.toLocaleString()} of ${total.toLocaleString()}`;
  const words = { loading: "loading", live: "live", reconnecting: "connecting again", failed: "failed" } as const;
  return (
    <p class="count" role="status">
      {table.columns.length > 0 && <span class="count-number">{count}</span>}
      <span class={`phase phase-${table.phase}`}>{words[table.phase]}</span>
    </p>
  );
}

function LabelFilter({
  labels,
  choose,
}: {
  readonly labels: string;
  readonly choose: (labels: string) => void;
}): JSX.Element {
  return (
    <input
      key={labels}
      type="text"
      class="labels-filter"
      placeholder="Labels: app=web"
      aria-label="Label selector"
      defaultValue={labels}
      onChange={(event) => choose(event.currentTarget.value.trim())}
    />
  );
}

/** The live rows of a kind while the caller is shown. */
export function useTable(
  kind: Kind,
  { namespace, labels }: { readonly namespace: string; readonly labels: string },
): TableState {
  const { api, naming } = useConsole();
  const [state, setState] = useState<TableState>(emptyTable);
  useEffect(() => {
    const ending = new AbortController();
    setState(emptyTable);
    followTable({
      ...{ api, labels, signal: ending.signal, show: setState },
      path: collectionPath(kind, namespace),
      accept: tableType(naming),
      watches: kind.verbs.has("watch"),
      beforeFrame: (run) => void requestAnimationFrame(run),
      after: (ms, run) => void setTimeout(run, ms),
    });
    return () => ending.abort();
  }, [api, naming, kind, namespace, labels]);
  return state;
}
