import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Column, Row } from "../api/table.js";
import { useNow } from "../hooks.js";
import { ageText } from "./age.js";
import { columnTemplate } from "./columns.js";
import type { Sorting } from "./sort.js";
import { toneOfCell } from "./tone.js";

export interface GridProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly showsNamespace: boolean;
  readonly sorting: Sorting;
  readonly sort: (by: string) => void;
  readonly changed: ReadonlySet<string>;
  /** The key of the row that the keyboard is at. */
  readonly current: string;
  readonly setCurrent: (key: string) => void;
  readonly hrefOf: (row: Row) => string;
}

/** Rows beyond the visible ones that are there already when somebody scrolls. */
const spare = 8;

/** Rows of which only the visible ones are in the page, however many there are. */
export function Grid(props: GridProps): JSX.Element {
  const { columns, rows, showsNamespace, current, hrefOf } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, rowHeight: 34 });
  const asked = useRef(false);
  const time = useNow(1000);

  const look = (): void => {
    asked.current = false;
    const element = box.current;
    if (element === null) return;
    const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue("--row")) || 34;
    setView({ top: element.scrollTop, height: element.clientHeight, rowHeight });
  };
  const lookSoon = (): void => {
    if (asked.current) return;
    asked.current = true;
    requestAnimationFrame(look);
  };
  useLayoutEffect(() => {
    look();
    const observer = new ResizeObserver(lookSoon);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  const { rowHeight } = view;
  const at = useMemo(() => rows.findIndex(({ key }) => key === current), [rows, current]);
  useEffect(() => {
    const element = box.current;
    if (element === null || at < 0) return;
    const head = rowHeight;
    const [top, bottom] = [at * rowHeight, (at + 1) * rowHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom + head > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom + head - element.clientHeight;
  }, [current]);

  const template = useMemo(
    () => columnTemplate(columns, rows, { showsNamespace }),
    // Widths stay while rows come and go: only other columns, or the first rows, set them anew.
    [columns, showsNamespace, rows.length === 0, rows.length > 20],
  );
  useLayoutEffect(() => box.current?.style.setProperty("--columns", template), [template]);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + spare);
  return (
    <div
      ref={box}
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={at >= first && at < last ? `row-${at}` : undefined}
      tabIndex={0}
      onScroll={lookSoon}
    >
      <Heads {...props} />
      <div class="grid-body" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <GridRow
            key={row.key}
            {...{ row, columns, showsNamespace, hrefOf, time }}
            at={first + index}
            top={(first + index) * rowHeight}
            isCurrent={row.key === current}
            isChanged={props.changed.has(row.key)}
            setCurrent={props.setCurrent}
          />
        ))}
      </div>
    </div>
  );
}

function Heads({ columns, showsNamespace, sorting, sort }: GridProps): JSX.Element {
  const names = showsNamespace ? ["Namespace", ...columns.map(({ name }) => name)] : columns.map(({ name }) => name);
  const direction = sorting.descending ? "descending" : "ascending";
  return (
    <div class="grid-heads" role="rowgroup">
      <div class="grid-row grid-head" role="row" aria-rowindex={1}>
        {names.map((name) => (
          <div key={name} role="columnheader" aria-sort={sorting.by === name ? direction : "none"}>
            <button
              type="button"
              title={columns.find((column) => column.name === name)?.description}
              onClick={() => sort(name)}
            >
              {name}
              <span aria-hidden="true" class="sort-mark">
                {sorting.by === name ? (sorting.descending ? "↓" : "↑") : ""}
              </span>
            </button>
          </div>
        ))}
      </div>
    </div>
  );
}

interface GridRowProps extends Pick<GridProps, "columns" | "showsNamespace" | "hrefOf" | "setCurrent"> {
  readonly row: Row;
  readonly at: number;
  readonly top: number;
  readonly isCurrent: boolean;
  readonly isChanged: boolean;
  /** By which ages are told. */
  readonly time: number;
}

function GridRow({
  row,
  columns,
  showsNamespace,
  hrefOf,
  setCurrent,
  at,
  top,
  isCurrent,
  isChanged,
  time,
}: GridRowProps): JSX.Element {
  const classes = ["grid-row", ...(isCurrent ? ["is-current"] : []), ...(isChanged ? ["is-changed"] : [])];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j, k and Enter do it by keyboard
    <div
      class={classes.join(" ")}
      role="row"
      id={`row-${at}`}
      aria-rowindex={at + 2}
      aria-selected={isCurrent}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => setCurrent(row.key)}
    >
      {showsNamespace && (
        <div role="gridcell" class="cell-namespace" title={row.namespace}>
          {row.namespace}
        </div>
      )}
      {columns.map(({ name, position }) =>
        name === "Name" ? (
          <div key={name} role="gridcell" class="cell-name">
            <a href={hrefOf(row)} title={row.name}>
              {row.name || row.cells[position]}
            </a>
          </div>
        ) : (
          <Cell key={name} name={name} text={row.cells[position] ?? ""} created={row.created} time={time} />
        ),
      )}
    </div>
  );
}

function Cell({
  name,
  text,
  created,
  time,
}: {
  readonly name: string;
  readonly text: string;
  readonly created: number;
  readonly time: number;
}): JSX.Element {
  if (name === "Age" && !Number.isNaN(created)) {
    return (
      <div role="gridcell" data-column="Age">
        {ageText(time - created)}
      </div>
    );
  }
  const tone = toneOfCell(name, text);
  return (
    <div role="gridcell" title={text} data-column={name}>
      {tone === "plain" ? text : <span class={`state state-${tone}`}>{text}</span>}
    </div>
  );
}
