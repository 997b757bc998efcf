import type { AnyObject } from "@orch/api/object.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { ItemsSize, ListFrame } from "./framing.js";

/**
 * What an object is in a version, shape and encoding, made once for a revision of it and kept by the caller; what
 * tells an age is printed anew when the age is another one.
 */
export interface Piece {
  /** `now` in milliseconds since 1970. */
  at(now: number): Buffer;
  /** Until when the bytes that were asked for last stay the same, in milliseconds; absent where they always do. */
  readonly until?: number;
  /** Bytes, about. */
  readonly size: number;
}

/** Bodies of one kind in one form. */
export interface Renderer {
  /** Of an object in its stored version, with its resourceVersion. */
  piece(hub: AnyObject): Piece;
  /** The same of the object's JSON, or of its metadata's; absent where pieces are made of trees. */
  readonly fromJson?: { readonly of: "object" | "metadata"; piece(json: Buffer): Piece } | undefined;
  document(piece: Buffer, resourceVersion: string): Buffer;
  list(metadata: ListMetadata, items: ItemsSize): ListFrame;
  /** Whether `list` must know the bytes of all items; else it asks for their number alone. */
  readonly sized: boolean;
  /** What a piece of this length adds to those bytes. */
  itemSize(length: number): number;
  event(type: string, document: Buffer): Buffer;
  /** An event that carries a version alone (rules: Watch event). */
  bookmark(metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  }): Buffer;
  /** An ERROR event. */
  error(status: JsonObject): Buffer;
  /** A Status as a whole body. */
  status(status: JsonObject): Buffer;
  /** How a watch goes on after its first event, where that is another way: tables tell their columns once. */
  readonly following?: Renderer;
}

/** A type: what ListMeta has of a list that was made here. */
export type ListMetadata = {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
};
