import { blockYaml } from "@orch/codec/rewrite/block-yaml.js";
import { prettyJson } from "@orch/codec/rewrite/pretty-json.js";
import { type Rewriter, rewritten, sliceMemory } from "@orch/codec/rewrite/rewriter.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import { type ChunkMemory, createReusedMemory } from "@orch/status/chunk-memory.js";
import type { OpenStream } from "../relay.js";
import type { Representation } from "../representation.js";
import { rewrittenStream } from "./rewritten-stream.js";

/** YAML and indented JSON, which are made here of JSON (README). */
export interface Layouts {
  /** A whole body, at once; for small ones. */
  whole(representation: Representation, body: Buffer): Buffer;
  /** The body of a stream, slice by slice as its receiver takes them. */
  stream(representation: Representation, open: OpenStream): OpenStream;
}

/** Of slices that are used again. */
const reusedBytes = 8 * 1024 * 1024;

/** Whether bodies in a representation are made here of JSON. */
export function isLaidOut({ encoding, pretty }: Representation): boolean {
  return encoding === "yaml" || pretty;
}

/** The slices of all streams take turns in the pacer. */
export function createLayouts(pacer: Pacer): Layouts {
  const memory = createReusedMemory({ pieceBytes: sliceMemory, maxBytes: reusedBytes });
  return {
    whole: (representation, body) => rewritten(rewriterOf(representation), body),
    stream(representation, open) {
      if (!isLaidOut(representation)) return open;
      return rewrittenStream(open, () => ({ rewriter: rewriterOf(representation, memory), memory, pacer }));
    },
  };
}

function rewriterOf({ encoding }: Representation, memory?: ChunkMemory): Rewriter {
  return encoding === "yaml" ? blockYaml(memory) : prettyJson(memory);
}
