import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";

/** A public client of a provider: a page that signs people in, such as the console. */
export interface BrowserClient {
  readonly clientID: string;
  readonly redirectURI: string;
  /** How long its ID tokens hold. */
  readonly tokenSeconds: number;
}

/** What a provider needs to know of it. Other origins may ask the provider from a browser on its behalf alone. */
export function browserClientConfiguration(client: BrowserClient, algorithm: string) {
  return {
    client: {
      client_id: client.clientID,
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: [client.redirectURI],
      response_types: ["code"],
      id_token_signed_response_alg: algorithm,
    },
    cors: (_context: unknown, origin: string, { clientId }: { readonly clientId: string }) =>
      clientId === client.clientID && origin === new URL(client.redirectURI).origin,
    tokenSeconds: client.tokenSeconds,
  };
}

/** Where a provider asks people who they are. */
export const loginPath = "/login";

/** A form without a password: whoever gives a name is that. */
export async function answerLogin(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "POST") {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(form);
    return;
  }
  const given = new URLSearchParams(await bodyOf(request));
  if (given.get("answer") === "no") {
    const refusal = { error: "access_denied", error_description: "the person said no" };
    return provider.interactionFinished(request, response, refusal);
  }
  const { params } = await provider.interactionDetails(request, response);
  const accountId = given.get("name") ?? "";
  const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) });
  grant.addOIDCScope(String(params["scope"]));
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } });
}

const form = `<!doctype html><title>Who are you?</title><form method="post"><label>Name <input name="name"></label>
<button name="answer" value="yes">Yes</button><button name="answer" value="no">No</button></form>`;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
