/** A key, or several one after another: `/`, `Escape`, `g p`, `Control+k`. */
export interface Binding {
  readonly keys: string;
  /** What it does, for people. */
  readonly help: string;
  readonly run: () => void;
  /** Works while somebody types, too. */
  readonly always?: boolean;
}

export interface KeyPress {
  readonly key: string;
  readonly control: boolean;
  /** The focus is where text goes. */
  readonly isTyping: boolean;
}

export interface KeyMatch {
  /** What was pressed of a sequence so far. */
  readonly pending: string;
  readonly binding?: Binding;
}

/** Takes a key after those that are pending; a key that goes on with nothing begins anew. */
export function matchKey(bindings: readonly Binding[], pending: string, press: KeyPress): KeyMatch {
  const key = press.control ? `Control+${press.key.toLowerCase()}` : press.key;
  const usable = bindings.filter(({ always }) => always === true || !press.isTyping);
  const whole = pending === "" ? key : `${pending} ${key}`;
  const binding = usable.find(({ keys }) => keys === whole);
  if (binding !== undefined) return { pending: "", binding };
  if (usable.some(({ keys }) => keys.startsWith(`${whole} `))) return { pending: whole };
  return pending === "" ? { pending: "" } : matchKey(bindings, "", press);
}
