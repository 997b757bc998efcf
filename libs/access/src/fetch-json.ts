import type { JsonRequest } from "@orch/auth/jwt/issuer-keys.js";
import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import { readJson } from "@orch/status/read-json.js";
import { Agent, request } from "undici";

const maxBytes = 1024 * 1024;

/** GET of a document over HTTPS. Redirects are not followed. @throws Error for any answer but 200 with JSON of at most 1 MiB */
export async function fetchJson({ url, ca, timeoutMs }: JsonRequest): Promise<unknown> {
  const agent = new Agent({
    connect: ca === undefined ? {} : { ca },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = createGatheredBytes();
    for await (const part of body) {
      answer.add(part);
      if (answer.length > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    }
    if (statusCode !== 200) throw new Error(`the answer is ${statusCode}`);
    return readJson(answer.bytes().toString("utf8"));
  } finally {
    void agent.destroy();
  }
}
