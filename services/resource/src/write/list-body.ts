import type { AnyObject } from "@orch/api/object.js";
import { itemsSize } from "@orch/render/framing.js";
import type { Revision } from "@orch/store/revision.js";
import { rendererOf } from "./reply.js";
import type { Write } from "./write.js";

/** What a list tells beside its objects. */
export interface ListEnd {
  readonly at: Revision;
  /** Objects behind the page, where they were counted. */
  readonly left: number | undefined;
  readonly next: string | undefined;
}

/** A list of objects in the form that the request asks for. */
export function listBody(write: Write, objects: readonly AnyObject[], { at, left, next }: ListEnd): Buffer {
  const renderer = rendererOf(write);
  const pieces = objects.map((object) => renderer.piece(object).at(write.deps.now()));
  const more =
    next === undefined ? {} : { continue: next, ...(left === undefined ? {} : { remainingItemCount: left }) };
  const { head, before, tail } = renderer.list({ resourceVersion: String(at), ...more }, itemsSize(renderer, pieces));
  return Buffer.concat([head, ...pieces.flatMap((piece, i) => [before(i, piece), piece]), tail]);
}
