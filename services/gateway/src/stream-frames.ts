/** Cuts the bytes of a watch's stream into its events, wherever the chunks begin and end. */
export type CutFrames = (chunk: Buffer) => readonly Buffer[];

/** How the events of a stream of this media type are told apart. */
export function cutterOf(contentType: string): CutFrames {
  if (contentType.includes("protobuf")) return cutter(afterLength);
  // The items of a CBOR sequence delimit themselves: one message may hold several.
  if (contentType.includes("cbor")) return (chunk) => (chunk.length === 0 ? [] : [chunk]);
  return cutter(afterLine);
}

interface Frame {
  readonly frame: Buffer;
  readonly end: number;
}

function cutter(next: (bytes: Buffer) => Frame | undefined): CutFrames {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const frames: Buffer[] = [];
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let found = next(rest); found !== undefined; found = next(rest)) {
      frames.push(found.frame);
      rest = rest.subarray(found.end);
    }
    // The rest outlives the chunk, whose memory may be used again.
    rest = Buffer.from(rest);
    return frames;
  };
}

const newline = 0x0a;

function afterLine(bytes: Buffer): Frame | undefined {
  const end = bytes.indexOf(newline) + 1;
  return end === 0 ? undefined : { frame: bytes.subarray(0, end), end };
}

/** Four bytes of length before each event: the message has a length of its own. */
function afterLength(bytes: Buffer): Frame | undefined {
  if (bytes.length < 4) return undefined;
  const end = 4 + bytes.readUInt32BE(0);
  return bytes.length < end ? undefined : { frame: bytes.subarray(4, end), end };
}
