import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Kind } from "../api/discovery.js";
import { asFailure, type Failure } from "../api/failure.js";
import { followObject, type ObjectState } from "../api/follow-object.js";
import { objectPath, type Place } from "../api/paths.js";
import { useConsole } from "../context.js";
import { useKeys, useTitle } from "../hooks.js";
import { EventsTab } from "../object/events-tab.js";
import { ExecTab } from "../object/exec-tab.js";
import { HistoryTab } from "../object/history-tab.js";
import { LogsTab } from "../object/logs-tab.js";
import { OverviewTab } from "../object/overview-tab.js";
import { YamlTab } from "../object/yaml-tab.js";
import { Dialog } from "../parts/dialog.js";
import { FailureView } from "../parts/failure-view.js";
import { Loading } from "../parts/small.js";
import { listRoute, objectRoute } from "../routes.js";

export interface ObjectPageProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly tab: string;
}

interface Tab {
  readonly id: string;
  readonly title: string;
  readonly key: string;
}

function tabsOf(kind: Kind, isThere: boolean): readonly Tab[] {
  const history = { id: "history", title: "History", key: "h" };
  const known = kind.subresources.has("history") ? [history] : [];
  if (!isThere) return known;
  const isPod = kind.kind === "Pod" && kind.group === "";
  return [
    { id: "overview", title: "Overview", key: "o" },
    { id: "yaml", title: "YAML", key: "y" },
    ...known,
    { id: "events", title: "Events", key: "v" },
    ...(isPod
      ? [
          { id: "logs", title: "Logs", key: "l" },
          { id: "exec", title: "Run", key: "r" },
        ]
      : []),
  ];
}

/** One object: how it is, how it was, and what can be done to it. */
export function ObjectPage({ kind, namespace, name, tab: wanted }: ObjectPageProps): JSX.Element {
  const { go } = useConsole();
  const place = { namespace, name };
  const state = useObject(kind, place);
  const [isAsked, ask] = useState(false);
  useTitle(name);
  const isThere = state.phase === "there";
  const tabs = tabsOf(kind, isThere);
  const tab = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  useKeys([
    ...tabs.map(({ key, title, id }) => ({
      ...{ keys: key, help: title, run: () => go(objectRoute(kind, { ...place, tab: id })) },
    })),
    ...(isThere && kind.verbs.has("delete") ? [{ keys: "Delete", help: "delete it", run: () => ask(true) }] : []),
  ]);
  if (state.phase === "loading") return <Loading what={`Reading ${name}…`} />;
  if (state.phase === "failed") return <FailureView failure={state.failure} what={`${name} cannot be read`} />;
  return (
    <section class="page" aria-label={name}>
      <header class="page-head object-head">
        <p class="crumbs">
          <a href={listRoute(kind)}>{kind.kind}</a>
          {namespace !== "" && (
            <>
              {" / "}
              <a href={listRoute(kind, { namespace })}>{namespace}</a>
            </>
          )}
        </p>
        <h1>{name}</h1>
        {!isThere && <span class="state state-bad">deleted</span>}
        <div class="tools">
          {!isThere && kind.subresources.has("undelete") && <Undelete kind={kind} place={place} />}
          {isThere && kind.verbs.has("delete") && (
            <button type="button" class="danger" onClick={() => ask(true)}>
              Delete
            </button>
          )}
        </div>
        <nav class="tabs" aria-label="Views">
          {tabs.map(({ id, title }) => (
            <a
              key={id}
              href={objectRoute(kind, { ...place, tab: id })}
              aria-current={tab?.id === id ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      </header>
      <div class="object-body">
        {tab === undefined && state.phase === "gone" && <FailureView failure={state.failure} what="It is not there" />}
        {tab?.id === "history" && <HistoryTab {...{ kind, place }} object={isThere ? state.object : undefined} />}
        {isThere && <TabOf id={tab?.id ?? ""} {...{ kind, place }} object={state.object} />}
      </div>
      {isAsked && <Delete {...{ kind, place }} close={() => ask(false)} />}
    </section>
  );
}

type TabOfProps = { readonly id: string } & Parameters<typeof OverviewTab>[0];

function TabOf({ id, ...props }: TabOfProps): JSX.Element | null {
  if (id === "overview") return <OverviewTab {...props} />;
  if (id === "yaml") return <YamlTab {...props} />;
  if (id === "events") return <EventsTab {...props} />;
  if (id === "logs") return <LogsTab {...props} />;
  return id === "exec" ? <ExecTab {...props} /> : null;
}

function useObject(kind: Kind, { namespace, name }: Place): ObjectState {
  const { api } = useConsole();
  const [state, setState] = useState<ObjectState>({ phase: "loading" });
  useEffect(() => {
    const ending = new AbortController();
    setState({ phase: "loading" });
    void followObject({
      ...{ api, kind, place: { namespace, name }, signal: ending.signal },
      show: (next) => {
        if (!ending.signal.aborted) setState(next);
      },
      after: (ms, run) => void setTimeout(run, ms),
    });
    return () => ending.abort();
  }, [api, kind, namespace, name]);
  return state;
}

function Undelete({ kind, place }: { readonly kind: Kind; readonly place: Place }): JSX.Element {
  const { api, tell } = useConsole();
  const undelete = async (): Promise<void> => {
    try {
      await api.send("POST", `${objectPath(kind, place, "undelete")}?fieldManager=console`, {});
      tell(`${place.name} is back`);
    } catch (error) {
      tell(asFailure(error).message, "bad");
    }
  };
  return (
    <button type="button" class="primary" onClick={() => void undelete()}>
      Undelete
    </button>
  );
}

interface DeleteProps {
  readonly kind: Kind;
  readonly place: Place;
  readonly close: () => void;
}

function Delete({ kind, place, close }: DeleteProps): JSX.Element {
  const { api, tell } = useConsole();
  const [failure, setFailure] = useState<Failure>();
  const comesBack = kind.subresources.has("undelete");
  const remove = async (): Promise<void> => {
    try {
      await api.send("DELETE", objectPath(kind, place), { propagationPolicy: "Background" });
      tell(`${place.name} is being deleted`);
      close();
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  return (
    <Dialog title={`Delete ${kind.kind} ${place.name}?`} close={close}>
      <p>
        What it owns goes with it.{" "}
        {comesBack ? "It can be brought back as long as its past is kept." : "It cannot be brought back."}
      </p>
      {failure !== undefined && <FailureView failure={failure} what="It is not deleted" />}
      <div class="actions">
        <button type="button" onClick={close}>
          Leave it
        </button>
        <button type="button" class="danger" onClick={() => void remove()}>
          Delete it
        </button>
      </div>
    </Dialog>
  );
}
