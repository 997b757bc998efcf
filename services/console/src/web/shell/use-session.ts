import type { Naming } from "@orch/naming/naming.js";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Bearer, createBearer, type Renewed } from "../api/bearer.js";
import { type Api, createApi } from "../api/client.js";
import type { Credentials } from "../api/credentials.js";
import { asFailure, Failure } from "../api/failure.js";
import { now } from "../clock.js";
import { textAt } from "../json.js";
import type { Provider } from "../oidc/provider.js";
import type { Returned } from "../oidc/redirect.js";
import { forgetCredentials, keepCredentials, keptCredentials } from "./session.js";

/** What the server says of itself before anybody has signed in. */
export interface Configuration {
  readonly naming: Naming;
  /** Where people may sign in; nowhere but here where absent. */
  readonly provider: Provider | undefined;
}

export interface OpenSession {
  readonly api: Api;
  readonly user: string;
}

export interface SessionDeps {
  readonly configuration: Configuration;
  /** Where the server is: `https://host` and what a proxy has put before its paths. */
  readonly root: string;
  /** What the provider has sent the browser back with. */
  readonly returned: Returned | undefined;
}

export interface SessionState {
  readonly session: OpenSession | undefined;
  /** Why somebody has to sign in again. */
  readonly notice: string;
  /** Somebody is being signed in by what was kept, or by what a provider has sent. */
  readonly isTrying: boolean;
  /** Tries them; gives why they are refused. */
  readonly signIn: (credentials: Credentials, keep: boolean) => Promise<Failure | undefined>;
  readonly signOut: () => void;
}

/** Who is signed in, from the page's first moment on. */
export function useSession({ configuration, root, returned }: SessionDeps): SessionState {
  const { naming, provider } = configuration;
  const [session, setSession] = useState<OpenSession>();
  const [notice, setNotice] = useState("");
  const [isTrying, setTrying] = useState(() => returned !== undefined || keptCredentials() !== undefined);
  const bearer = useRef<Bearer | undefined>(undefined);

  const end = useCallback((why: string) => {
    bearer.current?.stop();
    forgetCredentials();
    setNotice(why);
    setSession(undefined);
  }, []);
  const signIn = useCallback(
    async (credentials: Credentials, keep: boolean): Promise<Failure | undefined> => {
      let isOpen = false;
      const shown = createBearer(credentials, { renew: renewal(provider, credentials, keep), now });
      try {
        const api = createApi({
          ...{ root, bearer: shown, tokenProtocol: `base64url.bearer.${naming.group("authorization")}.` },
          ended: (why) => {
            if (isOpen) end(`Your session has ended: ${why}`);
          },
        });
        const user = await whoAmI(api, naming);
        if (user === naming.anonymousUser) throw new Failure(401, "nobody");
        isOpen = true;
        bearer.current = shown;
        if (keep && shown.token() === tokenOf(credentials)) keepCredentials(credentials);
        setNotice("");
        setSession({ api, user });
        return undefined;
      } catch (error) {
        shown.stop();
        return asFailure(error);
      }
    },
    [naming, provider, root, end],
  );
  useEffect(() => {
    // A link that this tab has not asked for does not end the session that it has.
    const isForeign = returned !== undefined && returned.pending === undefined && keptCredentials() !== undefined;
    const beginning =
      returned === undefined || isForeign ? continued(signIn) : finished({ provider, returned, signIn });
    void beginning.then((why) => {
      if (why !== undefined) end(why);
      setTrying(false);
    });
  }, [signIn, end, provider, returned]);
  return { session, notice, isTrying, signIn, signOut: () => end("") };
}

const tokenOf = (credentials: Credentials): string | undefined =>
  credentials.type === "token" ? credentials.token : undefined;

/** Goes on with what was kept in this tab; gives why it cannot. */
async function continued(signIn: SessionState["signIn"]): Promise<string | undefined> {
  const kept = keptCredentials();
  if (kept === undefined) return undefined;
  const failure = await signIn(kept, true);
  if (failure === undefined) return undefined;
  return failure.status === 401 ? "Your session has ended." : failure.message;
}

interface Finishing extends Pick<SessionState, "signIn"> {
  readonly provider: Provider | undefined;
  readonly returned: Returned;
}

/** Signs in with what a provider has sent; gives why it cannot. */
async function finished({ provider, returned, signIn }: Finishing): Promise<string | undefined> {
  if (provider === undefined) return undefined;
  try {
    const { finishSignIn } = await import("../oidc/grants.js");
    const issued = await finishSignIn(provider, returned);
    const failure = await signIn({ type: "token", ...issued }, returned.pending?.keep === true);
    if (failure === undefined) return undefined;
    if (failure.status !== 401) return failure.message;
    return `The server does not take this token of ${provider.issuer}: it has to trust that issuer for the client ${provider.clientID}.`;
  } catch (error) {
    return asFailure(error).message;
  }
}

/** What gets a newer token; undefined where nothing does. A provider may give a new refresh token each time. */
function renewal(
  provider: Provider | undefined,
  credentials: Credentials,
  keep: boolean,
): (() => Promise<Renewed>) | undefined {
  if (provider === undefined || credentials.type !== "token" || credentials.refreshToken === undefined)
    return undefined;
  let { refreshToken } = credentials;
  return async () => {
    const { renewToken } = await import("../oidc/grants.js");
    const issued = await renewToken(provider, refreshToken);
    refreshToken = issued.refreshToken ?? refreshToken;
    const taken = (): void => {
      if (keep) keepCredentials({ type: "token", ...issued });
    };
    return { token: issued.token, taken };
  };
}

async function whoAmI(api: Api, naming: Naming): Promise<string> {
  const group = naming.group("authentication");
  const review = { apiVersion: `${group}/v1`, kind: "SelfSubjectReview" };
  const { document: answer } = await api.send("POST", `/apis/${group}/v1/selfsubjectreviews`, review);
  return textAt(answer, "status", "userInfo", "username");
}
