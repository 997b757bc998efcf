import type { EventType } from "@orch/cache/change.js";
import type { Renderer } from "@orch/render/renderer.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { ChunkMemory } from "@orch/status/chunk-memory.js";
import type { Span } from "@orch/status/span.js";
import type { ListBody, SizedChunks } from "../list/list-body.js";
import type { CachedObject } from "../object.js";

/** Objects of one kind as bytes in one version and form: what answers are made of. */
export interface Rendition {
  /** Equal for equal bytes. */
  readonly id: string;
  /** The same bytes at any time: no ages in it. */
  readonly timeless: boolean;
  /** Answers are made of parsed objects, instead of the bytes that are there. */
  readonly made: boolean;
  /** A whole body. */
  document(object: CachedObject): Buffer;
  list(list: ListBody, memory?: ChunkMemory): SizedChunks;
  /** An event of a watch; `revision` stands in the object where it is newer. */
  event(type: EventType, object: CachedObject, revision: number): Buffer;
  /** The same of a change that happens now: most often nobody asks for it again. */
  liveEvent(type: EventType, object: CachedObject, revision: number): Buffer;
  /** `emptyList`: an annotation that holds the body of a list without items, in Base64. */
  bookmark(revision: number, annotation?: string, emptyList?: string): Buffer;
  /** An ERROR event. */
  error(status: JsonObject): Buffer;
  /**
   * Makes what takes long of these objects elsewhere: in a thread, or by a webhook that converts them. Gives the rendition
   * by which they are to be shown; undefined where nothing is to be made, and this one shows them. `span`
   * is what needs them, where that is traced. @throws ApiError
   */
  prepare(objects: readonly CachedObject[], span?: Span): Promise<Rendition> | undefined;
  /** Objects must be prepared before they are shown: a webhook converts them. */
  readonly asks: boolean;
  /** How a watch goes on after its first event; most often the same. */
  readonly following: Rendition;
}

function emptyListText(renderer: Renderer): string {
  const { head, tail } = renderer.list({ resourceVersion: "" }, { count: 0, bytes: 0 });
  return Buffer.concat([head, tail]).toString("base64");
}

/** Events without an object. */
export function signals(renderer: Renderer): Pick<Rendition, "bookmark" | "error"> {
  return {
    bookmark(revision, annotation, emptyList) {
      const annotations = {
        ...(annotation === undefined ? {} : { [annotation]: "true" }),
        ...(emptyList === undefined ? {} : { [emptyList]: emptyListText(renderer) }),
      };
      return renderer.bookmark({
        resourceVersion: String(revision),
        ...(annotation === undefined ? {} : { annotations }),
      });
    },
    error: (status) => renderer.error(status),
  };
}
