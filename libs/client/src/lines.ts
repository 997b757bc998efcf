const newline = 0x0a;

export interface LineSplitter {
  /** The lines that end in a chunk. They may lie in its memory; of what is left over a copy is kept. */
  push(chunk: Buffer): readonly Buffer[];
  /** Bytes of the line that has not ended. */
  readonly pending: number;
}

/** `{…}\n{…}\n` in chunks cut anywhere → one buffer a line, empty ones left out. */
export function createLineSplitter(): LineSplitter {
  let parts: Buffer[] = [];
  let pending = 0;
  return {
    push(chunk) {
      const lines: Buffer[] = [];
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        const end = chunk.subarray(from, at);
        from = at + 1;
        const line = parts.length === 0 ? end : Buffer.concat([...parts, end]);
        parts = [];
        pending = 0;
        if (line.length > 0) lines.push(line);
      }
      if (from < chunk.length) {
        parts.push(Buffer.from(chunk.subarray(from)));
        pending += chunk.length - from;
      }
      return lines;
    },
    get pending() {
      return pending;
    },
  };
}
