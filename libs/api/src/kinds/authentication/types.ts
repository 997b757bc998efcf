import type { AnyObject, ApiObject } from "../../object.js";

export interface TokenReview extends ApiObject {
  readonly spec?: {
    readonly token?: string;
    /** Whom the token must be meant for; the server itself where there are none. */
    readonly audiences?: readonly string[];
  };
}

/** An object that was decoded as a TokenReview. */
export function tokenReview(object: AnyObject): TokenReview {
  // Decoding has checked it against a type with these fields.
  return object as TokenReview;
}
