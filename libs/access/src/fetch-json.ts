import type { FetchText, TextRequest } from "@orch/auth/jwt/distributed-claims.js";
import type { JsonRequest } from "@orch/auth/jwt/issuer-keys.js";
import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import type { Dial } from "@orch/outbound/dial.js";
import { connectorBy } from "@orch/outbound/egress/connector.js";
import { readJson } from "@orch/status/read-json.js";
import { Agent, request } from "undici";

const maxBytes = 1024 * 1024;

/** GET of documents over HTTPS, straight or by a dial. Redirects are not followed. */
export interface DocumentFetch {
  /** @throws Error for any answer but 200 with JSON of at most 1 MiB */
  readonly fetchJson: (wanted: JsonRequest) => Promise<unknown>;
  /** The same of a text, a token of claims. @throws Error for any answer but 200 with at most 1 MiB */
  readonly fetchText: FetchText;
}

export function documentFetch(dial: Dial | undefined): DocumentFetch {
  return {
    fetchJson: async (wanted) => readJson(await fetched(wanted, { accept: "application/json", dial })),
    fetchText: (wanted) => fetched(wanted, { accept: "*/*", dial }),
  };
}

async function fetched(
  { url, ca, timeoutMs, authorization }: TextRequest,
  { accept, dial }: { readonly accept: string; readonly dial: Dial | undefined },
): Promise<string> {
  const tls = ca === undefined ? {} : { ca };
  const agent = new Agent({
    connect: dial === undefined ? tls : connectorBy(dial, tls),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = createGatheredBytes();
    for await (const part of body) {
      answer.add(part);
      if (answer.length > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    }
    if (statusCode !== 200) throw new Error(`the answer is ${statusCode}`);
    return answer.bytes().toString("utf8");
  } finally {
    void agent.destroy();
  }
}
