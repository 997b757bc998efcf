import { createGate, type Gate } from "@orch/cache/gate.js";
import type { Revision } from "@orch/store/revision.js";
import type { Shelves } from "./shelves.js";

/** What of the store readers see, and since when: nothing, or one load after the other. */
export interface Showing {
  readonly loaded: boolean;
  /** Of the last load, also where it is hidden: a read that is under way ends on it. */
  readonly shelves: Shelves;
  /** Everything up to here is shown. */
  readonly gate: Gate;
  /** Equal as long as nothing was hidden. */
  readonly era: Era;
  /** A load takes the place of what was shown; `recalled` settles when its history from before is there. */
  show(load: { readonly shelves: Shelves; readonly at: Revision; readonly recalled: Promise<void> }): void;
  /** What is shown is of a history that never was: nobody may see it any more. */
  hide(): void;
  /** Called when what was shown is over, before anything new shows. */
  onReset(run: () => void): void;
  recalled(): Promise<void>;
}

/** From one hiding to the next, or from the start. */
export interface Era {
  /** Settles when there is something to show. */
  readonly loaded: Promise<void>;
  readonly begin: () => void;
}

type State =
  /** There is nothing to show: nothing was loaded yet, or the store was set back. */
  | { readonly type: "hidden"; readonly shelves: Shelves; readonly era: Era }
  | { readonly type: "shown"; readonly shelves: Shelves; readonly era: Era; readonly recalled: Promise<void> };

export function createShowing(empty: Shelves): Showing {
  const gate = createGate(0);
  const resets = new Set<() => void>();
  let state: State = { type: "hidden", shelves: empty, era: newEra() };
  const reset = (): void => {
    for (const run of resets) run();
  };
  return {
    get loaded() {
      return state.type === "shown";
    },
    get shelves() {
      return state.shelves;
    },
    get era() {
      return state.era;
    },
    gate,
    show({ shelves, at, recalled }) {
      if (state.type === "shown") reset();
      state = { type: "shown", shelves, era: state.era, recalled };
      gate.reset(at);
      state.era.begin();
    },
    hide() {
      if (state.type === "hidden") return;
      state = { type: "hidden", shelves: state.shelves, era: newEra() };
      reset();
      gate.reset(0);
    },
    onReset: (run) => void resets.add(run),
    recalled: () => (state.type === "shown" ? state.recalled : Promise.resolve()),
  };
}

function newEra(): Era {
  let begin = (): void => {};
  const loaded = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { loaded, begin };
}
