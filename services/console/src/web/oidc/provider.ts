import { textAt, textsAt, treeAt } from "../json.js";

/** The OpenID provider at which people may sign in, and who the console is to it. */
export interface Provider {
  readonly issuer: string;
  readonly clientID: string;
  readonly scopes: readonly string[];
}

/** Of `/console/config.json`; undefined where the server names none. */
export function providerOf(configuration: unknown): Provider | undefined {
  const oidc = treeAt(configuration, "oidc");
  const [issuer, clientID] = [textAt(oidc, "issuer"), textAt(oidc, "clientID")];
  return issuer === "" || clientID === "" ? undefined : { issuer, clientID, scopes: textsAt(oidc, "scopes") };
}

/** What a provider gave. */
export interface IssuedToken {
  /** The ID token. */
  readonly token: string;
  /** What brings a newer one; undefined where the provider gave nothing. */
  readonly refreshToken: string | undefined;
}
