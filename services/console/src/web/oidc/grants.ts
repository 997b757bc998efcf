// Loaded by those alone who sign in at a provider.
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  validateAuthResponse,
} from "oauth4webapi";
import { Failure } from "../api/failure.js";
import type { IssuedToken, Provider } from "./provider.js";
import { keepRedirect, type Pending, type Returned, redirectAddress } from "./redirect.js";

const patienceMs = 15_000;

/** Sends the browser to the provider (authorization code with PKCE). @throws Failure where that cannot be */
export async function beginSignIn(provider: Provider, { keep }: Pick<Pending, "keep">): Promise<void> {
  const { authorization_endpoint: endpoint = "" } = await discover(provider);
  if (!URL.canParse(endpoint) || new URL(endpoint).protocol !== "https:")
    throw new Failure(0, `${provider.issuer} names no place to sign in at.`);
  const pending: Pending = {
    verifier: generateRandomCodeVerifier(),
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    keep,
    hash: location.hash,
  };
  const address = new URL(endpoint);
  const parameters = {
    response_type: "code",
    client_id: provider.clientID,
    redirect_uri: redirectAddress(),
    scope: provider.scopes.join(" "),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
    // OpenID Connect Core, 11: without consent no refresh token is given.
    ...(provider.scopes.includes("offline_access") ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  keepRedirect(pending);
  location.assign(address);
}

/** Makes a token of what the provider sent back. @throws Failure where it refuses, or the answer is not to what was asked */
export async function finishSignIn(provider: Provider, { parameters, pending }: Returned): Promise<IssuedToken> {
  if (pending === undefined) throw new Failure(0, "This tab has not begun that sign-in. Begin it anew.");
  const [server, client] = [await discover(provider), clientOf(provider)];
  return saidBy(provider, async () => {
    const checked = validateAuthResponse(server, client, parameters, pending.state);
    const answer = await authorizationCodeGrantRequest(
      ...([server, client, None(), checked, redirectAddress(), pending.verifier, options()] as const),
    );
    const expected = { expectedNonce: pending.nonce, requireIdToken: true };
    const { id_token: token, refresh_token: refreshToken } = await processAuthorizationCodeResponse(
      ...([server, client, answer, expected] as const),
    );
    return issued(provider, token, refreshToken);
  });
}

/** A newer token. @throws Failure where the provider gives none any more */
export async function renewToken(provider: Provider, refreshToken: string): Promise<IssuedToken> {
  const [server, client] = [await discover(provider), clientOf(provider)];
  return saidBy(provider, async () => {
    const answer = await refreshTokenGrantRequest(server, client, None(), refreshToken, options());
    const { id_token: token, refresh_token: next } = await processRefreshTokenResponse(server, client, answer);
    return issued(provider, token, next ?? refreshToken);
  });
}

function issued({ issuer }: Provider, token: string | undefined, refreshToken: string | undefined): IssuedToken {
  if (token === undefined) throw new Failure(0, `${issuer} gave no ID token.`);
  return { token, refreshToken };
}

const clientOf = ({ clientID }: Provider): Client => ({ client_id: clientID });
const options = () => ({ signal: AbortSignal.timeout(patienceMs) });

/** The provider's description of itself. */
async function discover(provider: Provider): Promise<AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  const server = await saidBy(provider, async () =>
    processDiscoveryResponse(issuer, await discoveryRequest(issuer, options())),
  );
  const tokens = server.token_endpoint ?? "";
  const { tokenOrigins } = provider;
  if (!URL.canParse(tokens) || !tokenOrigins.includes(new URL(tokens).origin))
    throw new Failure(
      0,
      `${provider.issuer} gives tokens at “${tokens}”: this page may ask ${tokenOrigins.join(" and ")} alone.`,
    );
  return server;
}

/** Runs what asks the provider; why it failed is told in words of the provider, or about it. @throws Failure */
async function saidBy<T>({ issuer }: Provider, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
      const described = error.error_description === undefined ? "" : `: ${error.error_description}`;
      throw new Failure(0, `${issuer} refused (${error.error})${described}.`);
    }
    // What fetch throws where no answer came, or none that this page may read.
    if (error instanceof TypeError || error instanceof DOMException)
      throw new Failure(0, `${issuer} cannot be reached from this browser, or does not let this page ask it (CORS).`);
    throw new Failure(
      0,
      `${issuer} gave an answer that cannot be used: ${error instanceof Error ? error.message : ""}.`,
    );
  }
}
