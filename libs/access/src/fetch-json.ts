import type { JsonRequest } from "@orch/auth/jwt/issuer-keys.js";
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
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of body) {
      bytes += part.length;
      if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
      parts.push(part);
    }
    if (statusCode !== 200) throw new Error(`the answer is ${statusCode}`);
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } finally {
    void agent.destroy();
  }
}
