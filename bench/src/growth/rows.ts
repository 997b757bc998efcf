import type { Kind } from "@orch/api/catalog.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { FakeRequest } from "@orch/service-gateway/testing/fake-exchange.js";

/** What a row of the search needs to stand in the store first. */
export type Live =
  | { readonly by: "nobody" }
  /** Stored past the rules, so that rules do not hide what comes after them. */
  | { readonly by: "plant"; readonly kind: Kind; readonly object: (n: number) => JsonObject }
  /** By requests, which must be answered with success. */
  | { readonly by: "asks"; readonly kind: Kind; readonly object: JsonObject; readonly asks: (n: number) => Asks };
type Asks = readonly FakeRequest[];

export const nobody: Live = { by: "nobody" };

/** One question of the search: does a request of 4n elements cost more than 6 times that of n? */
export interface Row {
  readonly name: string;
  readonly ask: (n: number) => FakeRequest;
}

/** Rows that share what is stored. */
export interface Group {
  /** A prefix of its rows' names. */
  readonly name: string;
  /** For filters. */
  readonly kind: string;
  readonly live: Live;
  readonly rows: readonly Row[];
  /** The bytes that n elements come to; of the largest of its rows. */
  readonly bytes: (n: number) => number;
  /** More than a request can carry: of texts in a query. */
  readonly maxBytes?: number;
}
