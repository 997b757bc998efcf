import { type Dialect, dialects } from "@orch/naming/naming.js";

/** What the command needs of the world. */
export interface World {
  readonly files: { read(path: string): Buffer };
  readonly print: (text: string) => void;
}

/** A message for the caller: what they gave cannot be used. */
export class Unusable extends Error {}

export function dialectOf(name: string | undefined): Dialect {
  const found = dialects.find((dialect) => dialect === (name ?? "orch"));
  if (found === undefined) throw new Unusable(`--api-dialect is one of ${dialects.join(", ")}`);
  return found;
}
