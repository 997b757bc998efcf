/** A block between `-----BEGIN TYPE-----` and `-----END TYPE-----`. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const begin = /^-----BEGIN ([^-]*)-----\s*$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The well formed blocks of a text, in one pass; what stands around them is skipped. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { readonly type: string; readonly lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const type = begin.exec(line)?.[1];
    if (type !== undefined) open = { type, lines: [] };
    else if (open !== undefined && line.trimEnd() === `-----END ${open.type}-----`) {
      const block = blockOf(open.type, open.lines);
      if (block !== undefined) blocks.push(block);
      open = undefined;
    } else open?.lines.push(line.trim());
  }
  return blocks;
}

/** Headers are `Name: value` lines before an empty one. */
function blockOf(type: string, lines: readonly string[]): PemBlock | undefined {
  const hasHeaders = lines[0]?.includes(":") === true;
  const body = (hasHeaders ? lines.slice(lines.indexOf("") + 1) : lines).join("");
  if (!base64.test(body) || body.length % 4 !== 0) return undefined;
  return { type, hasHeaders, bytes: Buffer.from(body, "base64") };
}
