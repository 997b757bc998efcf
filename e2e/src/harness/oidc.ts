import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer, request as requestHttps, type Server } from "node:https";
import type { TextRequest } from "@orch/auth/jwt/distributed-claims.js";
import type { JsonRequest } from "@orch/auth/jwt/issuer-keys.js";
import { issueAuthority, issueServing } from "@orch/pki/certificates.js";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { Provider } from "oidc-provider";
import { answerLogin, type BrowserClient, browserClientConfiguration, loginPath } from "./oidc-login.js";

/** An OpenID provider that others wrote, on HTTPS at loopback. */
export interface OidcProvider {
  /** Issuer of its tokens. */
  readonly url: string;
  /** PEM: who signed its serving certificate. */
  readonly authority: string;
  /** A JWT from its token endpoint with these claims beside its own, signed with its newest key. */
  token(claims: object): Promise<string>;
  /** Answers at this path with a text, to whoever shows this token: a source of distributed claims. */
  serve(path: string, source: { readonly text: string; readonly accessToken: string }): void;
  /** Lets a page sign people in, with the same keys. */
  serveBrowsers(client: BrowserClient): void;
  /** Does not listen until it is restarted. */
  stop(): Promise<void>;
  /** At the same address, with a new key alone. */
  restartWithNewKey(): Promise<void>;
}

const clientID = "test-client";
const clientSecret = randomBytes(16).toString("hex");
const tokenSeconds = 600;

/** `audience` is the `aud` of its tokens. Stop it in the end. */
export async function startOidcProvider(options: {
  readonly audience: string;
  readonly algorithm: string;
}): Promise<OidcProvider> {
  const authority = await issueAuthority("oidc", Date.now());
  const serving = await issueServing(authority, ["127.0.0.1"], Date.now());
  let claims: object = {};
  let server = createServer({ cert: serving.certificate, key: serving.key });
  const port = await listen(server, 0);
  const url = `https://127.0.0.1:${port}`;
  let key = await privateKey(options.algorithm);
  let browsers: BrowserClient | undefined;
  const configured = (): object => ({
    ...fixedConfiguration({ ...options, browsers }),
    jwks: { keys: [key] },
    extraTokenClaims: () => claims,
  });
  const sources = new Map<string, { readonly text: string; readonly accessToken: string }>();
  const listener = (): RequestListener => {
    const provider = new Provider(url, configured());
    const answer = provider.callback();
    return (request, response) => {
      if (request.url?.startsWith(loginPath) === true) {
        return void answerLogin(provider, request, response).catch((error: unknown) => {
          response.statusCode = 500;
          response.end(String(error));
        });
      }
      const source = sources.get(request.url ?? "");
      if (source === undefined) return void answer(request, response);
      const known = request.headers.authorization === `Bearer ${source.accessToken}`;
      response.statusCode = known ? 200 : 401;
      response.end(known ? source.text : "");
    };
  };
  server.on("request", listener());

  return {
    url,
    authority: authority.certificate,
    async token(given) {
      claims = given;
      const body = new URLSearchParams({ grant_type: "client_credentials", resource: "urn:test", scope: "api" });
      const credentials = Buffer.from(`${clientID}:${clientSecret}`).toString("base64");
      const answer = await fetchJsonOverHttps(
        { url: `${url}/token`, ca: authority.certificate, timeoutMs: 10_000 },
        { body: body.toString(), authorization: `Basic ${credentials}` },
      );
      return accessToken(answer);
    },
    serve: (path, source) => void sources.set(path, source),
    serveBrowsers(client) {
      browsers = client;
      server.removeAllListeners("request");
      server.on("request", listener());
    },
    stop: () => closed(server),
    async restartWithNewKey() {
      await closed(server);
      server = createServer({ cert: serving.certificate, key: serving.key });
      key = await privateKey(options.algorithm);
      server.on("request", listener());
      await listen(server, port);
    },
  };
}

/** JWTs instead of opaque tokens, and a client that gets them without a person at a browser. */
function fixedConfiguration({
  audience,
  algorithm,
  browsers,
}: {
  readonly audience: string;
  readonly algorithm: string;
  readonly browsers: BrowserClient | undefined;
}): object {
  const browser = browsers && browserClientConfiguration(browsers, algorithm);
  const resourceServer = {
    audience,
    scope: "api",
    accessTokenFormat: "jwt",
    accessTokenTTL: tokenSeconds,
    jwt: { sign: { alg: algorithm } },
  };
  return {
    clients: [
      {
        client_id: clientID,
        client_secret: clientSecret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: algorithm,
      },
      ...(browser === undefined ? [] : [browser.client]),
    ],
    clientBasedCORS: browser?.cors ?? (() => false),
    interactions: { url: () => loginPath },
    scopes: ["openid", "offline_access"],
    cookies: { keys: [clientSecret] },
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: true, getResourceServerInfo: () => resourceServer },
    },
    ttl: { ClientCredentials: tokenSeconds, IdToken: browser?.tokenSeconds ?? tokenSeconds },
  };
}

async function privateKey(algorithm: string): Promise<JWK> {
  const { privateKey: key } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(key)), alg: algorithm, use: "sig", kid: randomBytes(8).toString("hex") };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the provider does not listen on a port");
  return address.port;
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}

function accessToken(answer: unknown): string {
  if (typeof answer === "object" && answer !== null && "access_token" in answer) {
    if (typeof answer.access_token === "string") return answer.access_token;
  }
  throw new Error(`the provider gave no token: ${JSON.stringify(answer)}`);
}

/** GET, or POST of a form. @throws Error for any answer but 200 with JSON */
export async function fetchJsonOverHttps(
  wanted: JsonRequest,
  form?: { readonly body: string; readonly authorization: string },
): Promise<unknown> {
  return JSON.parse(await fetchTextOverHttps(wanted, form));
}

/** GET, or POST of a form. @throws Error for any answer but 200 */
export async function fetchTextOverHttps(
  { url, ca, timeoutMs, authorization }: TextRequest,
  form?: { readonly body: string; readonly authorization: string },
): Promise<string> {
  const request = requestHttps(url, {
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    ...(ca === undefined ? {} : { ca }),
    ...(form === undefined
      ? { headers: { ...(authorization === undefined ? {} : { authorization }) } }
      : {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded", authorization: form.authorization },
        }),
  });
  request.end(form?.body);
  return await new Promise<string>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${url} answered ${response.statusCode}: ${body}`));
      });
    });
  });
}
