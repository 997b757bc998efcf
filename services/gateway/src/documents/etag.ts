import { createHash } from "node:crypto";

/** The value of an ETag header for a body. */
export function etagOf(body: string | Uint8Array): string {
  return quoted(createHash("sha512").update(body).digest("hex").toUpperCase());
}

export function quoted(hash: string): string {
  return `"${hash}"`;
}

/** Whether `If-None-Match` names the tag (RFC 9110 section 13.1.2): the client has what it asks for. */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const known = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}
