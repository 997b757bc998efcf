import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { asFailure, type Failure } from "./api/failure.js";
import { now } from "./clock.js";
import { useConsole } from "./context.js";
import type { Binding } from "./keys.js";

/** Something that is fetched. What was there stays until the new is. */
export type Loaded<T> =
  | { readonly phase: "loading"; readonly value?: undefined }
  | { readonly phase: "ready"; readonly value: T }
  | { readonly phase: "failed"; readonly value?: undefined; readonly failure: Failure };

/** Loads anew whenever one of the keys changes. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ phase: "loading" });
  useEffect(() => {
    const ending = new AbortController();
    load(ending.signal).then(
      (value) => {
        if (!ending.signal.aborted) setState({ phase: "ready", value });
      },
      (error: unknown) => {
        if (!ending.signal.aborted) setState({ phase: "failed", failure: asFailure(error) });
      },
    );
    return () => ending.abort();
  }, keys);
  return state;
}

/** The time, told anew so often. */
export function useNow(everyMs: number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return time;
}

/** Keys that hold while the caller is shown; what they run is always that of its last rendering. */
export function useKeys(bindings: readonly Binding[]): void {
  const { bind } = useConsole();
  const latest = useRef(bindings);
  latest.current = bindings;
  const names = bindings.map(({ keys }) => keys).join("\n");
  // Before the page is painted: who sees it may press its keys.
  useLayoutEffect(
    () =>
      bind(
        bindings.map((binding) => ({
          ...binding,
          run: () => latest.current.find(({ keys }) => keys === binding.keys)?.run(),
        })),
      ),
    [bind, names],
  );
}

/** The title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "orch" : `${title} · orch`;
  }, [title]);
}
