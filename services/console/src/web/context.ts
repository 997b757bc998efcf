import type { Naming } from "@orch/naming/naming.js";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api } from "./api/client.js";
import type { Kind } from "./api/discovery.js";
import type { Binding } from "./keys.js";
import type { KindRef } from "./routes.js";

/** What every page has at hand once somebody has signed in. */
export interface Console {
  readonly api: Api;
  readonly naming: Naming;
  readonly user: string;
  readonly kinds: readonly Kind[];
  readonly kindOf: (ref: KindRef) => Kind | undefined;
  /** The kind of that name in a group of ours, whatever the dialect calls the group. */
  readonly ownKind: (group: string, plural: string) => Kind | undefined;
  /** Asks discovery again. */
  readonly reload: () => void;
  /** Says something in the corner for a while. */
  readonly tell: (text: string, how?: "good" | "bad") => void;
  readonly go: (hash: string) => void;
  /** Puts keys into force as long as a page is shown. */
  readonly bind: (bindings: readonly Binding[]) => () => void;
}

const context = createContext<Console | undefined>(undefined);
export const ConsoleProvider = context.Provider;

export function useConsole(): Console {
  const value = useContext(context);
  if (value === undefined) throw new Error("used outside of the console");
  return value;
}
