import type { AnyObject } from "@orch/api/object.js";
import type { WriteOptions } from "@orch/render/write-options.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { Surface } from "./surface.js";
import type { Write } from "./write.js";

/**
 * A new state of an object on its way to the store. Verbs begin it, each stage (`stages.ts`) gives back the next one;
 * none is ever written to.
 */
export interface Draft {
  readonly write: Write;
  readonly surface: Surface;
  readonly options: WriteOptions;
  /** The stored state that the change begins from, of the hub; undefined for a new object. */
  readonly old: AnyObject | undefined;
  /** That state as clients of this endpoint read it. */
  readonly live: AnyObject | undefined;
  /** The new state: of the surface's kind until it is converted, of the hub from then on. */
  readonly object: AnyObject;
  /** The new state as admission left it, of the hub: what the writer asked for, before the server decided its part. */
  readonly given: AnyObject;
  /** Whether managedFields tell already whose fields these are, as an apply leaves them. */
  readonly tracked: boolean;
  /** What the writer is told beside the answer, whatever that is. */
  readonly warnings: readonly string[];
  /** Why it is not stored, of a plugin that had something to tell beside. */
  readonly refusal?: ApiError | undefined;
  readonly dryRun: boolean;
}

/** What a verb makes of a state. */
export interface Beginning {
  readonly object: AnyObject;
  readonly tracked?: boolean;
  readonly warnings?: readonly string[];
}

interface From {
  readonly surface: Surface;
  readonly options: WriteOptions;
  readonly old: AnyObject | undefined;
  readonly live: AnyObject | undefined;
}

export function draftOf(write: Write, from: From, beginning: Beginning): Draft {
  const { surface, options, old, live } = from;
  const { object, tracked = false, warnings = none } = beginning;
  // Field by field: every write passes here, and a spread of another object costs ten times as much.
  const { dryRun } = options;
  return { write, surface, options, old, live, object, given: object, tracked, warnings, dryRun };
}

const none: readonly string[] = [];
