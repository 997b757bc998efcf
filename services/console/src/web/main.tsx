import { createNaming } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";
import { type JSX, render } from "preact";
import { asFailure } from "./api/failure.js";
import { App } from "./app.js";
import { textAt } from "./json.js";
import { providerOf } from "./oidc/provider.js";
import { takeRedirect } from "./oidc/redirect.js";
import { SignIn } from "./pages/sign-in.js";
import { FailureView } from "./parts/failure-view.js";
import { applyTheme, storedTheme } from "./shell/theme.js";
import { type Configuration, type SessionDeps, useSession } from "./shell/use-session.js";

/** Where the server is: what stands before `/console/` in the address of this page. */
const root = new URL("..", location.origin + location.pathname).href.slice(0, -1);

async function readConfiguration(): Promise<Configuration> {
  const response = await fetch("config.json", { cache: "no-store" });
  const configuration: unknown = readJson(await response.text());
  const dialect = textAt(configuration, "dialect") === "kubernetes" ? "kubernetes" : "orch";
  return { naming: createNaming(dialect), provider: providerOf(configuration) };
}

function Root(deps: SessionDeps): JSX.Element {
  const { naming, provider } = deps.configuration;
  const { session, notice, isTrying, signIn, signOut } = useSession(deps);
  if (session !== undefined) return <App api={session.api} user={session.user} {...{ naming, signOut }} />;
  if (isTrying) return <p class="loading">Signing in…</p>;
  return <SignIn key={notice} {...{ signIn, notice, provider }} />;
}

applyTheme(storedTheme());
const returned = takeRedirect();
const place = document.getElementById("app");
if (place !== null) {
  readConfiguration().then(
    (configuration) => render(<Root {...{ configuration, root, returned }} />, place),
    (error: unknown) => render(<FailureView failure={asFailure(error)} what="The console cannot begin" />, place),
  );
}
