import type { Naming } from "@orch/naming/naming.js";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Api } from "./api/client.js";
import { discover, type Kind } from "./api/discovery.js";
import { type Console, ConsoleProvider } from "./context.js";
import { useLoaded } from "./hooks.js";
import type { Binding } from "./keys.js";
import { PageOf } from "./pages/page-of.js";
import { Logo } from "./pages/sign-in.js";
import { FailureView } from "./parts/failure-view.js";
import { Loading } from "./parts/small.js";
import { type KindRef, listRoute, parseRoute, type Route } from "./routes.js";
import { Help } from "./shell/help.js";
import { type Keyboard, useKeyboard } from "./shell/keyboard.js";
import { Palette } from "./shell/palette.js";
import { insights, Rail } from "./shell/rail.js";
import { groupName } from "./shell/sections.js";
import { applyTheme, nextTheme, storedTheme } from "./shell/theme.js";

export interface AppProps {
  readonly api: Api;
  readonly naming: Naming;
  readonly user: string;
  readonly signOut: () => void;
}

/** The console of somebody who has signed in. */
export function App({ api, naming, user, signOut }: AppProps): JSX.Element {
  const route = useRoute();
  const [generation, setGeneration] = useState(0);
  const kinds = useLoaded(() => discover(api, naming), [api, naming, generation]);
  const keyboard = useKeyboard();
  const [message, tell] = useMessage();
  const known = kinds.value;
  const value = useMemo((): Console | undefined => {
    if (known === undefined) return undefined;
    return {
      ...{ api, naming, user, kinds: known, tell, go, bind: keyboard.bind },
      kindOf: (ref) => findKind(known, ref),
      ownKind: (group, plural) =>
        known.find((kind) => kind.group === groupName(naming, group) && kind.plural === plural),
      reload: () => setGeneration((count) => count + 1),
    };
  }, [api, naming, user, known, tell, keyboard.bind]);
  if (kinds.phase === "failed")
    return <FailureView failure={kinds.failure} what="The server does not tell its kinds" />;
  if (value === undefined) return <Loading what="Asking the server what it serves…" />;
  return (
    <ConsoleProvider value={value}>
      <Shell route={route} keyboard={keyboard} user={user} signOut={signOut} />
      <div class="messages" aria-live="polite">
        {message !== undefined && <p class={`message message-${message.how}`}>{message.text}</p>}
      </div>
    </ConsoleProvider>
  );
}

const findKind = (kinds: readonly Kind[], { group, version, plural }: KindRef): Kind | undefined => {
  const found = kinds.find((kind) => kind.group === group && kind.plural === plural);
  return found === undefined || found.version === version ? found : { ...found, version };
};

function go(hash: string): void {
  location.hash = hash;
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = (): void => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return useMemo(() => parseRoute(hash), [hash]);
}

interface Message {
  readonly text: string;
  readonly how: "good" | "bad";
}

const messageMs = 5000;

function useMessage(): readonly [Message | undefined, Console["tell"]] {
  const [message, setMessage] = useState<Message>();
  const tell = useCallback((text: string, how: "good" | "bad" = "good") => setMessage({ text, how }), []);
  useEffect(() => {
    if (message === undefined) return;
    const timer = setTimeout(() => setMessage(undefined), messageMs);
    return () => clearTimeout(timer);
  }, [message]);
  return [message, tell];
}

interface ShellProps {
  readonly route: Route;
  readonly keyboard: Keyboard;
  readonly user: string;
  readonly signOut: () => void;
}

type Overlay = "none" | "palette" | "help";

function Shell({ route, keyboard, user, signOut }: ShellProps): JSX.Element {
  const [overlay, setOverlay] = useState<Overlay>("none");
  const [isOpen, setOpen] = useState(false);
  const [theme, setTheme] = useState(storedTheme);
  const namespace = route.page === "list" || route.page === "object" ? route.namespace : "";
  useEffect(() => setOpen(false), [route]);
  useGlobalKeys(keyboard, { setOverlay, route });
  const turnTheme = (): void => {
    const next = nextTheme[theme];
    applyTheme(next);
    setTheme(next);
  };
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to the page
      </button>
      <header class="bar">
        <button
          type="button"
          class="quiet menu"
          aria-label="Menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          ☰
        </button>
        <a class="brand" href="#/">
          <Logo />
          orch
        </a>
        <button type="button" class="go-to" onClick={() => setOverlay("palette")}>
          Go to a kind or page <kbd>Ctrl K</kbd>
        </button>
        <div class="bar-end">
          <button type="button" class="quiet theme" onClick={turnTheme} title="Colours: as the system, light, dark">
            {theme === "auto" ? "Auto" : theme === "light" ? "Light" : "Dark"}
          </button>
          <button type="button" class="quiet" onClick={() => setOverlay("help")} aria-label="Keys" title="Keys (?)">
            ?
          </button>
          <span class="user" title="Who you are to the server">
            {user}
          </span>
          <button type="button" class="quiet" onClick={signOut}>
            Sign out
          </button>
        </div>
      </header>
      <Rail route={route} isOpen={isOpen} />
      <main id="main" tabIndex={-1}>
        <PageOf route={route} />
      </main>
      {overlay === "palette" && <Palette close={() => setOverlay("none")} namespace={namespace} />}
      {overlay === "help" && <Help bindings={keyboard.inForce()} close={() => setOverlay("none")} />}
    </div>
  );
}

function skipToMain(): void {
  document.getElementById("main")?.focus();
}

interface GlobalKeys {
  readonly setOverlay: (overlay: Overlay) => void;
  readonly route: Route;
}

function useGlobalKeys({ bind }: Keyboard, { setOverlay, route }: GlobalKeys): void {
  useEffect(() => {
    const pages: readonly Binding[] = insights.map(({ key, title, hash }) => ({
      ...{ keys: `g ${key}`, help: `go to ${title.toLowerCase()}`, run: () => go(hash) },
    }));
    const up = (): void => {
      if (route.page === "object") go(listRoute(route.kind, { namespace: route.namespace }));
      else if (route.page !== "kinds") go("#/");
    };
    return bind([
      { keys: "?", help: "these keys", run: () => setOverlay("help") },
      { keys: "Control+k", help: "go to a kind or page", always: true, run: () => setOverlay("palette") },
      { keys: ":", help: "go to a kind or page", run: () => setOverlay("palette") },
      { keys: "g k", help: "go to all kinds", run: () => go("#/") },
      ...[
        ["p", "", "pods"],
        ["d", "apps", "deployments"],
        ["s", "", "services"],
        ["c", "", "configmaps"],
        ["n", "", "nodes"],
        ["e", "", "events"],
      ].map(([key = "", group = "", plural = ""]) => ({
        ...{ keys: `g ${key}`, help: `go to ${plural}` },
        run: () => go(listRoute({ group, version: "v1", plural })),
      })),
      ...pages,
      { keys: "Escape", help: "up", run: up },
    ]);
  }, [bind, setOverlay, route]);
}
