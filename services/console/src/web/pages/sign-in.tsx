import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Credentials } from "../api/credentials.js";
import { asFailure, type Failure } from "../api/failure.js";
import type { Provider } from "../oidc/provider.js";
import { takeRedirect } from "../oidc/redirect.js";

export interface SignInProps {
  /** Tries them; gives why they are refused. */
  readonly signIn: (credentials: Credentials, keep: boolean) => Promise<Failure | undefined>;
  /** Why somebody has to sign in again. */
  readonly notice: string;
  /** Where one may sign in besides. */
  readonly provider: Provider | undefined;
}

export function SignIn({ signIn, notice, provider }: SignInProps): JSX.Element {
  const [token, setToken] = useState("");
  const [keep, setKeep] = useState(false);
  const [problem, setProblem] = useState(notice);
  const [isTrying, setTrying] = useState(false);
  const attempt = async (credentials: Credentials): Promise<void> => {
    setTrying(true);
    const failure = await signIn(credentials, keep);
    setTrying(false);
    if (failure !== undefined) setProblem(sentenceOf(failure, credentials));
  };
  const leave = async (to: Provider): Promise<void> => {
    setTrying(true);
    try {
      const { beginSignIn } = await import("../oidc/grants.js");
      await beginSignIn(to, { keep });
    } catch (error) {
      setTrying(false);
      setProblem(asFailure(error).message);
    }
  };
  useEffect(() => {
    // The browser may bring back this very page when somebody leaves the provider by “Back”.
    const cameBack = (event: PageTransitionEvent): void => {
      if (!event.persisted) return;
      takeRedirect();
      setTrying(false);
    };
    addEventListener("pageshow", cameBack);
    return () => removeEventListener("pageshow", cameBack);
  }, []);
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== "") void attempt({ type: "token", token: token.trim() });
        }}
      >
        <Logo />
        <h1>Sign in to orch</h1>
        {problem !== "" && (
          <p class="notice" role="alert">
            {problem}
          </p>
        )}
        {provider !== undefined && (
          <button type="button" class="primary" disabled={isTrying} onClick={() => void leave(provider)}>
            Sign in at {new URL(provider.issuer).host}
          </button>
        )}
        <label>
          Token
          {/* A password field: managers of passwords know it, and nobody reads it over a shoulder. */}
          <input
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={keep} onChange={() => setKeep(!keep)} /> Keep it until this tab is closed
        </label>
        <button
          type="submit"
          class={provider === undefined ? "primary" : ""}
          disabled={isTrying || token.trim() === ""}
        >
          Sign in with the token
        </button>
        <button type="button" disabled={isTrying} onClick={() => void attempt({ type: "browser" })}>
          Use my browser’s certificate
        </button>
        <p class="muted">
          The console does only what your own rights allow. A token: the first column of <code>tokens.csv</code>, or{" "}
          <code>create token</code> for a service account.
        </p>
      </form>
    </main>
  );
}

function sentenceOf({ status, message }: Failure, credentials: Credentials): string {
  if (status === 401 || status === 403)
    return credentials.type === "token"
      ? "The server does not know this token. Look whether it is whole and has not expired."
      : "Your browser has shown no certificate that this server accepts. Import one, then load this page anew.";
  return message;
}

export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="logo-ground" />
      <circle cx="16" cy="16" r="8.5" class="logo-ring" />
      <circle cx="16" cy="16" r="2.6" class="logo-core" />
      <circle cx="24.5" cy="16" r="2.4" class="logo-moon" />
    </svg>
  );
}
