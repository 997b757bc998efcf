/** Finds the ends of HTTP/1.1 responses in a stream of bytes, as cheaply as it can: a load generator must not be the limit. */
export interface ResponseReader {
  push(bytes: Buffer): void;
}

export interface Response {
  readonly code: number;
  /** Body bytes, chunk framing not counted. */
  readonly bytes: number;
  /** The body, when bodies are kept. */
  readonly body: Buffer | undefined;
}

const headEnd = Buffer.from("\r\n\r\n");
const lineEnd = Buffer.from("\r\n");

type State =
  | { readonly in: "head" }
  | { readonly in: "sized"; left: number }
  | { readonly in: "chunkSize" }
  | { readonly in: "chunk"; left: number }
  | { readonly in: "trailer" };

export function createResponseReader(onResponse: (response: Response) => void, keepBodies = false): ResponseReader {
  let rest: Buffer = Buffer.alloc(0);
  let state: State = { in: "head" };
  let code = 0;
  let bytes = 0;
  let parts: Buffer[] = [];

  const finish = (): void => {
    const body = keepBodies ? Buffer.concat(parts) : undefined;
    parts = [];
    state = { in: "head" };
    onResponse({ code, bytes, body });
    bytes = 0;
  };

  const takeHead = (data: Buffer, at: number): number => {
    const end = data.indexOf(headEnd, at);
    if (end < 0) return -1;
    const head = data.toString("latin1", at, end);
    code = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) state = { in: "chunkSize" };
    else if (length === "0") finish();
    else state = { in: "sized", left: Number(length) };
    return end + 4;
  };

  const takeBody = (data: Buffer, at: number, current: { left: number }): number => {
    const end = Math.min(data.length, at + current.left);
    bytes += end - at;
    if (keepBodies) parts.push(Buffer.from(data.subarray(at, end)));
    current.left -= end - at;
    return end;
  };

  const takeLine = (data: Buffer, at: number): { text: string; next: number } | undefined => {
    const end = data.indexOf(lineEnd, at);
    return end < 0 ? undefined : { text: data.toString("latin1", at, end), next: end + 2 };
  };

  /** The next place to read from; -1 when more bytes are needed. */
  const step = (data: Buffer, at: number): number => {
    switch (state.in) {
      case "head":
        return takeHead(data, at);
      case "sized": {
        const next = takeBody(data, at, state);
        if (state.left === 0) finish();
        return next;
      }
      case "chunk": {
        const next = takeBody(data, at, state);
        if (state.left > 0) return next;
        if (next + 2 > data.length) return -1 - next;
        state = { in: "chunkSize" };
        return next + 2;
      }
      case "chunkSize": {
        const line = takeLine(data, at);
        if (line === undefined) return -1;
        const size = Number.parseInt(line.text, 16);
        state = size === 0 ? { in: "trailer" } : { in: "chunk", left: size };
        return line.next;
      }
      case "trailer": {
        const line = takeLine(data, at);
        if (line === undefined) return -1;
        finish();
        return line.next;
      }
    }
  };

  return {
    push(incoming) {
      const data = rest.length === 0 ? incoming : Buffer.concat([rest, incoming]);
      let at = 0;
      while (at < data.length) {
        const next = step(data, at);
        if (next < 0) {
          // A chunk was taken whole, but for its line end: only that is kept.
          at = next < -1 ? -1 - next : at;
          break;
        }
        at = next;
      }
      rest = at < data.length ? data.subarray(at) : Buffer.alloc(0);
    },
  };
}
