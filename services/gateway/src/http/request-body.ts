import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import { badRequest, tooLarge } from "@orch/status/api-error.js";

/** Whether a head announces a body. */
export function hasBody({
  "content-length": length = "0",
  "transfer-encoding": encoding,
}: IncomingHttpHeaders): boolean {
  return encoding !== undefined || length !== "0";
}

/** An HTTP/2 stream that its client cancels ends like a whole one; only `aborted` tells them apart. */
type BodySource = Readable & { readonly aborted?: boolean };

/** @throws ApiError RequestEntityTooLarge, before anything is parsed; BadRequest for a body that was cut. */
export function readBody(source: BodySource, headers: IncomingHttpHeaders, limit: number): Promise<Buffer> {
  const refuse = (): Error => tooLarge(`limit is ${limit}`);
  if (Number(headers["content-length"] ?? 0) > limit) return Promise.reject(refuse());
  return new Promise((resolve, reject) => {
    const body = createGatheredBytes();
    source.on("data", (part: Buffer) => {
      if (body.length + part.length > limit) {
        source.removeAllListeners("data");
        source.pause();
        reject(refuse());
        return;
      }
      body.add(part);
    });
    source.on("end", () => {
      if (source.aborted === true) reject(badRequest("the request's body ended early"));
      else resolve(body.bytes());
    });
    source.on("error", (error) => reject(badRequest("the request's body ended early", error)));
    source.on("close", () => {
      // Every request closes; only one that did not end is an error.
      if (!source.readableEnded) reject(badRequest("the request's body ended early"));
    });
  });
}
