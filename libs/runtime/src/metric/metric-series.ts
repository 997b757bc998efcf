import { labelText, type Sample } from "./metric-text.js";

/** Series of one metric: what comes beyond has no labels of its own, so that a client can not fill the memory. */
export const maxSeries = 10_000;
/** Characters of the labels of a metric, in all of its lines: a page of metrics must stay one that can be read. */
export const maxLabelText = 16 * 1024 * 1024;
/** What is kept of a label's value; no name that the catalog or a validated object has is longer. */
export const maxLabelValue = 256;

export interface Sampled {
  samples(): readonly Sample[];
}

export interface SeriesOptions<S> {
  readonly create: (labels: string) => S;
  /** Lines that a series has on the page. */
  readonly lines: number;
  /**
   * What becomes of labels that find no room: `together` counts them in one series whose labels all read `other`, so that
   * sums stay true; `dropped` shows them nowhere, since of gauges such a series would say nothing.
   */
  readonly beyond: "together" | "dropped";
  /** Told of every label set that found no room. */
  readonly full: () => void;
}

export interface SeriesOf<L extends string, S> {
  with(labels: Readonly<Record<L, string>>): S;
  /** Forgets every series that has all of these labels: what they name is no more. */
  drop(labels: Readonly<Partial<Record<L, string>>>): void;
  samples(): Iterable<Sample>;
}

export function seriesOf<L extends string, S extends Sampled>(
  names: readonly L[],
  { create, lines, beyond, full }: SeriesOptions<S>,
): SeriesOf<L, S> {
  const byLabels = new Map<string, S>();
  let text = 0;
  let others: S | undefined;
  const add = (key: string, labels: string): S => {
    const series = create(labels);
    byLabels.set(key, series);
    text += labels.length * lines;
    return series;
  };
  const withoutRoom = (): S => {
    full();
    others ??= create(
      beyond === "dropped"
        ? ""
        : labelText(
            names,
            names.map(() => "other"),
          ),
    );
    return others;
  };
  if (names.length === 0) add("", ""); // a metric without labels shows from the start
  return {
    with(labels) {
      let key = "";
      for (const name of names) key += `${labels[name]}\0`;
      const known = byLabels.get(key);
      if (known !== undefined) return known;
      const values = names.map((name) => labels[name].slice(0, maxLabelValue));
      const shortKey = values.map((value) => `${value}\0`).join("");
      return (
        byLabels.get(shortKey) ??
        (byLabels.size < maxSeries && text < maxLabelText ? add(shortKey, labelText(names, values)) : withoutRoom())
      );
    },
    drop(labels) {
      const wanted = names.map((name) => labels[name]?.slice(0, maxLabelValue));
      for (const key of byLabels.keys()) {
        const values = key.split("\0").slice(0, names.length);
        if (!wanted.every((value, i) => value === undefined || value === values[i])) continue;
        byLabels.delete(key);
        text -= labelText(names, values).length * lines;
      }
    },
    *samples() {
      for (const series of byLabels.values()) yield* series.samples();
      if (others !== undefined && beyond === "together") yield* others.samples();
    },
  };
}
