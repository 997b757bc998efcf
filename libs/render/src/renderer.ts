import type { AnyObject } from "@orch/api/object.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { ListFrame, Sized } from "./framing.js";

/**
 * What an object is in a version, shape and encoding, made once for a revision of it and kept by the caller; what
 * tells an age is printed anew when the age is another one.
 */
export interface Piece {
  /** `now` in milliseconds since 1970. */
  at(now: number): Buffer;
  /** Bytes, about. */
  readonly size: number;
}

/** Bodies of one kind in one form. */
export interface Renderer {
  /** Of an object in its stored version, with its resourceVersion. */
  piece(hub: AnyObject): Piece;
  document(piece: Buffer, resourceVersion: string): Buffer;
  list(metadata: ListMetadata, pieces: readonly Sized[]): ListFrame;
  /** Whether `list` must know how long each piece is; else it only counts them. */
  readonly sized: boolean;
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
