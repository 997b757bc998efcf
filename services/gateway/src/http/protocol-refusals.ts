import type { IncomingMessage } from "node:http";

/** Why an HTTP/1 message that node accepts is refused, in the words of Go's server, which the reference uses. */
export interface ProtocolRefusal {
  readonly status: string;
  readonly why: string;
}

/** What RFC 3986 allows in a host and a port. */
const hostText = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

/** Undefined for a message that may be served: HTTP/1 with at most one, well-formed Host header. */
export function protocolRefusal(request: IncomingMessage): ProtocolRefusal | undefined {
  const { httpVersionMajor, rawHeaders } = request;
  if (httpVersionMajor === 0) return { status: "400 Bad Request", why: "" };
  if (httpVersionMajor !== 1) {
    return { status: "505 HTTP Version Not Supported", why: "unsupported protocol version" };
  }
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    if (name.length !== 4 || name.toLowerCase() !== "host") continue;
    // A proxy in front of the server may have decided by the other header.
    if (++hosts > 1) return { status: "400 Bad Request", why: "too many Host headers" };
    if (!hostText.test(rawHeaders[i + 1] ?? "")) return { status: "400 Bad Request", why: "malformed Host header" };
  }
  return undefined;
}

/** The whole answer as text, always as HTTP/1.1, whatever version the client asked for. */
export function refusalText({ status, why }: ProtocolRefusal): string {
  const text = why === "" ? status : `${status}: ${why}`;
  const headers = ["Content-Type: text/plain; charset=utf-8", "Connection: close", `Content-Length: ${text.length}`];
  return `HTTP/1.1 ${status}\r\n${headers.join("\r\n")}\r\n\r\n${text}`;
}

/** The answer to a client that sends HTTP without TLS, which could not read a TLS alert. */
export const plainHttpText = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
