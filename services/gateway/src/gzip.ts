import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Exchange, HeaderList } from "./exchange.js";

/** Bodies below this are sent as they are (spec 1: Media types and headers; the reference's threshold). */
export const gzipFrom = 128 * 1024;

export const gzipHeaders: HeaderList = ["Content-Encoding", "gzip", "Vary", "Accept-Encoding"];

const options = { level: constants.Z_BEST_SPEED };
const compress = promisify<Buffer, typeof options, Buffer>(gzip);

export function gzipped(body: Buffer): Promise<Buffer> {
  return compress(body, options);
}

/** How a body of gzip begins, and no other one that this server sends. */
export function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** What a client says of gzip, or of everything that it does not name (RFC 9110, section 12.5.3). */
export function acceptsGzip(exchange: Exchange): boolean {
  const accepted = exchange.header("accept-encoding");
  if (accepted === undefined || accepted === "") return false;
  const weights = new Map(accepted.split(",").map(codingAndWeight));
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

function codingAndWeight(text: string): readonly [coding: string, weight: number] {
  const [coding = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}
