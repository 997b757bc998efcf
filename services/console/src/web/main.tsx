import { createNaming, type Naming } from "@orch/naming/naming.js";
import { readJson } from "@orch/status/read-json.js";
import { type JSX, render } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { type Api, type Credentials, createApi } from "./api/client.js";
import { asFailure, Failure } from "./api/failure.js";
import { App } from "./app.js";
import { textAt } from "./json.js";
import { SignIn } from "./pages/sign-in.js";
import { FailureView } from "./parts/failure-view.js";
import { forgetCredentials, keepCredentials, keptCredentials } from "./shell/session.js";
import { applyTheme, storedTheme } from "./shell/theme.js";

/** What the server says of itself before anybody has signed in. */
interface Configuration {
  readonly naming: Naming;
}

interface Session {
  readonly api: Api;
  readonly user: string;
}

/** Where the server is: what stands before `/console/` in the address of this page. */
const root = new URL("..", location.origin + location.pathname).href.slice(0, -1);

async function readConfiguration(): Promise<Configuration> {
  const response = await fetch("config.json", { cache: "no-store" });
  const configuration: unknown = readJson(await response.text());
  const dialect = textAt(configuration, "dialect") === "kubernetes" ? "kubernetes" : "orch";
  return {
    naming: createNaming(dialect),
  };
}

function Root({ configuration }: { readonly configuration: Configuration }): JSX.Element {
  const { naming } = configuration;
  const [session, setSession] = useState<Session>();
  const [notice, setNotice] = useState("");
  const [isTrying, setTrying] = useState(() => keptCredentials() !== undefined);

  const end = useCallback((why: string) => {
    forgetCredentials();
    setNotice(why);
    setSession(undefined);
  }, []);
  const signIn = useCallback(
    async (credentials: Credentials, keep: boolean): Promise<Failure | undefined> => {
      try {
        let isOpen = false;
        const api = createApi({
          ...{ root, credentials, tokenProtocol: `base64url.bearer.${naming.group("authorization")}.` },
          ended: () => {
            if (isOpen) end("Your session has ended: the server does not take your credentials any more.");
          },
        });
        const user = await whoAmI(api, naming);
        if (user === naming.anonymousUser) return new Failure(401, "nobody");
        isOpen = true;
        if (keep) keepCredentials(credentials);
        setNotice("");
        setSession({ api, user });
        return undefined;
      } catch (error) {
        return asFailure(error);
      }
    },
    [naming, end],
  );
  useEffect(() => {
    const kept = keptCredentials();
    if (kept === undefined) return;
    void signIn(kept, true).then((failure) => {
      if (failure !== undefined) end(failure.status === 401 ? "Your session has ended." : failure.message);
      setTrying(false);
    });
  }, [signIn, end]);
  if (session !== undefined)
    return <App api={session.api} user={session.user} naming={naming} signOut={() => end("")} />;
  if (isTrying) return <p class="loading">Signing in…</p>;
  return <SignIn key={notice} {...{ signIn, notice }} />;
}

async function whoAmI(api: Api, naming: Naming): Promise<string> {
  const group = naming.group("authentication");
  const review = { apiVersion: `${group}/v1`, kind: "SelfSubjectReview" };
  const { document: answer } = await api.send("POST", `/apis/${group}/v1/selfsubjectreviews`, review);
  return textAt(answer, "status", "userInfo", "username");
}

applyTheme(storedTheme());
const place = document.getElementById("app");
if (place !== null) {
  readConfiguration().then(
    (configuration) => render(<Root configuration={configuration} />, place),
    (error: unknown) => render(<FailureView failure={asFailure(error)} what="The console cannot begin" />, place),
  );
}
