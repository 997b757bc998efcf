import { ConfigurationError } from "@orch/access/configuration.js";
import type { ConsoleFlagValues } from "./flags.js";

/** Where people sign in, as `/console/config.json` tells it to the page. */
export interface SignInProvider {
  readonly issuer: string;
  readonly clientID: string;
  readonly scopes: readonly string[];
  /** Of the token endpoint, where it is not the issuer's. */
  readonly tokenOrigin?: string;
}

type Values = Pick<
  ConsoleFlagValues,
  "console" | "console-oidc-issuer" | "console-oidc-client-id" | "console-oidc-scopes" | "console-oidc-token-origin"
>;

/** What the flags name; undefined where they name none. @throws ConfigurationError */
export function signInProvider(values: Values): SignInProvider | undefined {
  const { "console-oidc-issuer": issuer, "console-oidc-client-id": clientID } = values;
  const tokenOrigin = values["console-oidc-token-origin"];
  if (issuer === "" && clientID === "") {
    if (tokenOrigin !== "") throw new ConfigurationError("--console-oidc-token-origin needs --console-oidc-issuer");
    return undefined;
  }
  if (issuer === "" || clientID === "")
    throw new ConfigurationError("--console-oidc-issuer and --console-oidc-client-id must be given together");
  if (!values.console) throw new ConfigurationError("--console-oidc-issuer needs --console");
  if (!isIssuer(issuer))
    throw new ConfigurationError(
      `--console-oidc-issuer: must be an https URL without a user, a query and a fragment: ${JSON.stringify(issuer)}`,
    );
  const scopes = values["console-oidc-scopes"];
  const wrong = scopes.find((scope) => !scopePattern.test(scope));
  if (wrong !== undefined) throw new ConfigurationError(`--console-oidc-scopes: ${JSON.stringify(wrong)} is no scope`);
  const provider = { issuer, clientID, scopes: [...new Set(["openid", ...scopes])] };
  if (tokenOrigin === "") return provider;
  if (!isOrigin(tokenOrigin))
    throw new ConfigurationError(
      `--console-oidc-token-origin: must be https://HOST or https://HOST:PORT: ${JSON.stringify(tokenOrigin)}`,
    );
  return { ...provider, tokenOrigin: new URL(tokenOrigin).origin };
}

/** RFC 6749, 3.3. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** A host with other characters could end the policy's directive in which it stands. */
const hostPattern = /^[a-z0-9.:[\]-]+$/;

function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || text.includes("?") || text.includes("#")) return false;
  const { protocol, host, username, password } = new URL(text);
  return protocol === "https:" && username === "" && password === "" && hostPattern.test(host);
}

const isOrigin = (text: string): boolean => isIssuer(text) && new URL(text).pathname === "/";
