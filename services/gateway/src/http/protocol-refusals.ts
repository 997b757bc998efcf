import type { IncomingMessage } from "node:http";

/** Why a message of HTTP/1 that node takes is refused; the reference's words, which Go's server has. */
export interface ProtocolRefusal {
  readonly status: string;
  readonly why: string;
}

/** What RFC 3986 allows in a host and a port. */
const hostText = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

/** Undefined for what may be served: HTTP/1, with one host at most that may be one. */
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
    // Which of them counts would be another one's guess: a proxy before us may have decided by the other.
    if (++hosts > 1) return { status: "400 Bad Request", why: "too many Host headers" };
    if (!hostText.test(rawHeaders[i + 1] ?? "")) return { status: "400 Bad Request", why: "malformed Host header" };
  }
  return undefined;
}

/** The whole answer, as text: it must not look like one of the version that was asked for. */
export function refusalText({ status, why }: ProtocolRefusal): string {
  const text = why === "" ? status : `${status}: ${why}`;
  const headers = ["Content-Type: text/plain; charset=utf-8", "Connection: close", `Content-Length: ${text.length}`];
  return `HTTP/1.1 ${status}\r\n${headers.join("\r\n")}\r\n\r\n${text}`;
}

/** For a client that speaks HTTP to this port without TLS; nothing of TLS could tell it so. */
export const plainHttpText = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
