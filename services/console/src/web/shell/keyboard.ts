import { useCallback, useEffect, useRef } from "preact/hooks";
import { type Binding, matchKey } from "../keys.js";

export interface Keyboard {
  readonly bind: (bindings: readonly Binding[]) => () => void;
  readonly inForce: () => readonly Binding[];
}

/** A sequence that is not gone on with is forgotten. */
const sequenceMs = 1200;

/** The keys of the page: what was bound last comes first. */
export function useKeyboard(): Keyboard {
  const sets = useRef<readonly (readonly Binding[])[]>([]);
  const inForce = useCallback(() => [...sets.current].reverse().flat(), []);
  const bind = useCallback((bindings: readonly Binding[]) => {
    sets.current = [...sets.current, bindings];
    return () => {
      sets.current = sets.current.filter((set) => set !== bindings);
    };
  }, []);
  useEffect(() => {
    let pending = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.altKey || event.metaKey || event.isComposing || event.key === "Shift" || event.key === "Control")
        return;
      // A dialog has keys of its own.
      if (document.querySelector("dialog[open]") !== null) return;
      const match = matchKey(inForce(), pending, {
        ...{ key: event.key, control: event.ctrlKey },
        isTyping: isTyping(event.target, event.key),
      });
      pending = match.pending;
      clearTimeout(timer);
      timer = setTimeout(() => {
        pending = "";
      }, sequenceMs);
      if (match.binding === undefined) return;
      event.preventDefault();
      match.binding.run();
    };
    document.addEventListener("keydown", press);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", press);
    };
  }, [inForce]);
  return { bind, inForce };
}

/** Whether a key goes where the focus is: text, or a control that Enter presses. */
function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)) return true;
  return key === "Enter" && ["A", "BUTTON", "SUMMARY"].includes(target.tagName);
}
