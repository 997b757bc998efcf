import type { SchemaView } from "@orch/cel/schema/view.js";
import { type Dialect, dialects } from "@orch/naming/naming.js";

export interface WantedObject {
  /** `deployments/web`, `Widget.example.com/a`. */
  readonly reference: string;
  /** The client configuration file. */
  readonly orchconfig?: string | undefined;
  readonly namespace?: string | undefined;
  readonly dialect: Dialect;
}

export interface LiveObject {
  readonly object: unknown;
  /** Undefined where nothing is known of its type. */
  readonly view: SchemaView | undefined;
  readonly isCustom: boolean;
}

/** What the command needs of the world. */
export interface World {
  readonly files: { read(path: string): Buffer };
  readonly print: (text: string) => void;
  /** Reads an object from a server. @throws Unusable or ApiError */
  readonly liveObject: (wanted: WantedObject) => Promise<LiveObject>;
}

/** A message for the caller: what they gave cannot be used. */
export class Unusable extends Error {}

export function dialectOf(name: string | undefined): Dialect {
  const found = dialects.find((dialect) => dialect === (name ?? "orch"));
  if (found === undefined) throw new Unusable(`--api-dialect is one of ${dialects.join(", ")}`);
  return found;
}
