import { createGatheredBytes } from "@orch/codec/gathered-bytes.js";
import type { Naming } from "@orch/naming/naming.js";
import type { HostPort } from "@orch/outbound/dial.js";
import type { HeaderList } from "../http/response.js";
import type { Remote } from "./api-service.js";
import { type UserHeaders, userList } from "./passed-headers.js";
import type { Upstream } from "./upstream.js";

/** What a gateway needs to ask servers of others for itself. */
export interface OwnRequests {
  readonly upstream: Upstream;
  readonly naming: Naming;
  readonly userHeaders: UserHeaders;
}

export interface OwnRequest {
  readonly at: HostPort;
  readonly path: string;
  readonly headers?: HeaderList;
  /** Whoever answers, whatever its certificate says. */
  readonly anyone?: boolean;
  readonly signal: AbortSignal;
  /** For the whole answer. */
  readonly timeoutMs: number;
  /** Of the body; more than that fails. With 0 it is not read. */
  readonly maxBytes: number;
}

export interface OwnAnswer {
  readonly code: number;
  /** Of the first header of that name, in lower case. */
  header(name: string): string;
  readonly body: Buffer;
}

/** Asks as the aggregator, which may see everything. @throws Error of the connection, of the time, of the size */
export async function askAsAggregator(
  { upstream, naming, userHeaders }: OwnRequests,
  remote: Remote,
  { at, path, headers = [], anyone = false, signal, timeoutMs, maxBytes }: OwnRequest,
): Promise<OwnAnswer> {
  const user = { name: `system:${naming.systemName("aggregator")}`, uid: "", groups: [naming.mastersGroup], extra: {} };
  const time = new AbortController();
  const leave = (): void => time.abort(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const timer = setTimeout(() => time.abort(new Error("context deadline exceeded")), timeoutMs);
  try {
    const incoming = await upstream.send(remote, at, {
      method: "GET",
      target: path,
      headers: [...headers, ...userList(user, userHeaders)],
      ...{ anyone, signal: time.signal },
    });
    if (incoming.type === "upgrade") {
      incoming.connection.destroy();
      throw new Error("the server changed the protocol unasked");
    }
    const { head, body } = incoming;
    const header = (name: string): string => {
      const at = head.raw.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name);
      return at < 0 ? "" : (head.raw[at + 1] ?? "");
    };
    if (maxBytes === 0) {
      body.on("error", () => {}).destroy();
      return { code: head.code, header, body: Buffer.alloc(0) };
    }
    const bytes = createGatheredBytes();
    for await (const part of body) {
      bytes.add(part);
      if (bytes.length > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    }
    return { code: head.code, header, body: bytes.bytes() };
  } catch (error) {
    throw time.signal.aborted ? time.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}
