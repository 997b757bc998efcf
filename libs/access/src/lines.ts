const newline = 0x0a;

/** Chunks cut anywhere → whole lines. A chunk's bytes are read at once: only a copy may be kept. */
export function createLines(line: (text: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      line(Buffer.concat([rest, chunk.subarray(from, at)]).toString("utf8"));
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    if (from < chunk.length) rest = Buffer.concat([rest, chunk.subarray(from)]);
  };
}
