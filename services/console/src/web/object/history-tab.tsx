import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Kind } from "../api/discovery.js";
import { asFailure, type Failure } from "../api/failure.js";
import { objectPath, type Place } from "../api/paths.js";
import { useConsole } from "../context.js";
import { useKeys, useLoaded, useNow } from "../hooks.js";
import { type Tree, textAt } from "../json.js";
import { agoText, momentText } from "../parts/age.js";
import { Dialog } from "../parts/dialog.js";
import { DiffView } from "../parts/diff-view.js";
import { FailureView } from "../parts/failure-view.js";
import { Empty, Loading } from "../parts/small.js";
import { printCompared } from "../yaml/print.js";
import { isStatusAlone, type PastState, pastStates, shortUser, shownFields } from "./past-states.js";
import { Warnings } from "./yaml-tab.js";

export interface HistoryTabProps {
  readonly kind: Kind;
  readonly place: Place;
  /** Undefined where it is deleted. */
  readonly object: Tree | undefined;
}

/** Who changed an object when, what each change was, and the way back. */
export function HistoryTab({ kind, place, object }: HistoryTabProps): JSX.Element {
  const { api } = useConsole();
  const version = textAt(object, "metadata", "resourceVersion");
  const history = useLoaded(
    async (signal) => pastStates(await api.get(objectPath(kind, place, "history"), { signal })),
    [api, kind, place.namespace, place.name, version],
  );
  const [chosen, choose] = useState("");
  const [showsStatus, showStatus] = useState(false);
  const all = history.value ?? [];
  const states = showsStatus ? all : all.filter((state, index) => index === 0 || !isStatusAlone(state));
  const at = Math.max(
    0,
    states.findIndex(({ revision }) => revision === chosen),
  );
  const move = (by: number): void => choose(states[Math.max(0, Math.min(states.length - 1, at + by))]?.revision ?? "");
  useKeys([
    { keys: "j", help: "older change", run: () => move(1) },
    { keys: "k", help: "newer change", run: () => move(-1) },
    { keys: "ArrowDown", help: "older change", run: () => move(1) },
    { keys: "ArrowUp", help: "newer change", run: () => move(-1) },
  ]);
  if (history.phase === "loading") return <Loading what="Reading its history…" />;
  if (history.phase === "failed") return <FailureView failure={history.failure} what="Its history cannot be read" />;
  const state = states[at];
  if (state === undefined) return <Empty title="Nothing is kept of its past" />;
  return (
    <div class="tab history-tab">
      <div>
        {all.some(isStatusAlone) && (
          <label class="check timeline-filter">
            <input type="checkbox" checked={showsStatus} onChange={() => showStatus(!showsStatus)} /> Changes of its
            status, too
          </label>
        )}
        <ol class="timeline" aria-label="Changes, newest first">
          {states.map((each, index) => (
            <li key={each.revision}>
              <button type="button" aria-pressed={index === at} onClick={() => choose(each.revision)}>
                <Entry state={each} isNow={index === 0 && object !== undefined} />
              </button>
            </li>
          ))}
        </ol>
      </div>
      <Change {...{ kind, place, object, state }} before={all[all.indexOf(state) + 1]} isNow={at === 0} />
    </div>
  );
}

function Entry({ state, isNow }: { readonly state: PastState; readonly isNow: boolean }): JSX.Element {
  const time = useNow(10_000);
  const { change, user, manager, moreFields } = state;
  const fields = shownFields(state);
  return (
    <>
      <span class="timeline-head">
        <span class={`state state-${change === "deleted" ? "bad" : change === "created" ? "good" : "plain"}`}>
          {change === "" ? "known" : change}
        </span>
        <span class="muted" title={momentText(state.time)}>
          {isNow ? "now · " : ""}
          {agoText(Date.parse(state.time), time)}
        </span>
      </span>
      <span class="timeline-who" title={user}>
        {shortUser(user) || "unknown"}
        {manager !== "" && <span class="muted"> by {manager}</span>}
      </span>
      {fields.slice(0, 3).map((field) => (
        <code key={field} class="timeline-field">
          {field}
        </code>
      ))}
      {(fields.length > 3 || moreFields) && <span class="muted">and more</span>}
    </>
  );
}

interface ChangeProps extends HistoryTabProps {
  readonly state: PastState;
  readonly before: PastState | undefined;
  readonly isNow: boolean;
}

function Change({ kind, place, object, state, before, isNow }: ChangeProps): JSX.Element {
  const { api } = useConsole();
  const [compared, compare] = useState<"before" | "now">("before");
  const [isAsked, ask] = useState(false);
  const isDeletion = state.change === "deleted";
  const textOf = async (past: PastState | undefined, signal: AbortSignal): Promise<string> => {
    if (past === undefined || past.change === "deleted" || !past.restorable) return "";
    return printCompared(await api.get(objectPath(kind, place, "history", past.revision), { signal }));
  };
  const texts = useLoaded(
    async (signal) => {
      const [then, earlier] = await Promise.all([textOf(state, signal), textOf(before, signal)]);
      return { then, earlier };
    },
    [api, kind, place.name, state.revision, before?.revision],
  );
  const isCurrent = isNow && object !== undefined;
  const now = object === undefined ? "" : printCompared(object);
  return (
    <section class="change" aria-label={`Revision ${state.revision}`}>
      <header class="tab-tools">
        <p>
          Revision {state.revision} <span class="muted">{momentText(state.time)}</span>
          {state.userAgent !== "" && <span class="muted"> · {state.userAgent}</span>}
        </p>
        <div class="actions">
          {!isCurrent && object !== undefined && (
            <button type="button" onClick={() => compare(compared === "now" ? "before" : "now")}>
              {compared === "now" ? "Compare with the state before" : "Compare with now"}
            </button>
          )}
          {!isCurrent && !isDeletion && object !== undefined && state.restorable && (
            <button type="button" class="primary" onClick={() => ask(true)}>
              Roll back to this
            </button>
          )}
        </div>
      </header>
      {isDeletion && <p class="notice">It was deleted here.</p>}
      {texts.phase === "failed" ? (
        <FailureView failure={texts.failure} what="That state cannot be read" />
      ) : texts.phase === "loading" ? (
        <Loading what="Comparing…" />
      ) : compared === "now" && !isCurrent ? (
        <DiffView before={texts.value.then} after={now} same="It is now as it was then." />
      ) : (
        <DiffView before={texts.value.earlier} after={texts.value.then} same="Nothing that shows has changed." />
      )}
      {isAsked && <RollBack {...{ kind, place, now }} revision={state.revision} close={() => ask(false)} />}
    </section>
  );
}

interface RollBackProps {
  readonly kind: Kind;
  readonly place: Place;
  readonly revision: string;
  readonly now: string;
  readonly close: () => void;
}

/** What a rollback would come to, by a trial of the server's, and then the rollback. */
function RollBack({ kind, place, revision, now, close }: RollBackProps): JSX.Element {
  const { api, tell } = useConsole();
  const [failure, setFailure] = useState<Failure>();
  const path = objectPath(kind, place, "rollback");
  const trial = useLoaded(
    async (signal) => api.send("POST", `${path}?dryRun=All`, { revision }, { signal }),
    [api, path, revision],
  );
  const rollBack = async (): Promise<void> => {
    try {
      await api.send("POST", `${path}?fieldManager=console`, { revision });
      tell(`${place.name} is as it was at revision ${revision}`);
      close();
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  return (
    <Dialog wide title={`Roll ${place.name} back to revision ${revision}?`} close={close}>
      {trial.phase === "loading" && <Loading what="Trying it…" />}
      {trial.phase === "failed" && <FailureView failure={trial.failure} what="The server would not do it" />}
      {trial.phase === "ready" && (
        <>
          <p class="muted">What would change, now → then:</p>
          <Warnings warnings={trial.value.warnings} />
          <DiffView before={now} after={printCompared(trial.value.document)} same="Nothing would change." />
        </>
      )}
      {failure !== undefined && <FailureView failure={failure} />}
      <div class="actions">
        <button type="button" onClick={close}>
          Leave it
        </button>
        <button type="button" class="primary" disabled={trial.phase !== "ready"} onClick={() => void rollBack()}>
          Roll back
        </button>
      </div>
    </Dialog>
  );
}
