import { textAt, textsAt, treeAt } from "../json.js";

/** The OpenID provider at which people may sign in, and who the console is to it. */
export interface Provider {
  readonly issuer: string;
  readonly clientID: string;
  readonly scopes: readonly string[];
  /** Where it may give tokens: the origin of the issuer, and the one that the server names. */
  readonly tokenOrigins: readonly string[];
}

/** Of `/console/config.json`; undefined where the server names none, or none with an address. */
export function providerOf(configuration: unknown): Provider | undefined {
  const oidc = treeAt(configuration, "oidc");
  const [issuer, clientID] = [textAt(oidc, "issuer"), textAt(oidc, "clientID")];
  if (!URL.canParse(issuer) || clientID === "") return undefined;
  const tokenOrigins = [new URL(issuer).origin, textAt(oidc, "tokenOrigin")].filter((origin) => origin !== "");
  return { issuer, clientID, scopes: textsAt(oidc, "scopes"), tokenOrigins };
}

/** What a provider gave. */
export interface IssuedToken {
  /** The ID token. */
  readonly token: string;
  /** What brings a newer one; undefined where the provider gave nothing. */
  readonly refreshToken: string | undefined;
}
