/** Cuts a stream of bytes into lines of text; a line without an end is not given. */
export async function readLines(body: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const reader = body.getReader();
  const cut = lineCutter(take);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    cut(value);
  }
}

/** Takes bytes in any pieces. Each byte of a line is looked at once, however many pieces it comes in. */
export function lineCutter(take: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      parts.push(text.slice(from, end));
      const line = parts.join("");
      parts = [];
      from = end + 1;
      if (line !== "") take(line);
    }
    if (from < text.length) parts.push(text.slice(from));
  };
}
