import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isListed, searchKinds } from "../api/discovery.js";
import { useConsole } from "../context.js";
import { Dialog } from "../parts/dialog.js";
import { listRoute } from "../routes.js";
import { insights } from "./rail.js";

const most = 9;

interface Target {
  readonly title: string;
  readonly detail: string;
  readonly hash: string;
}

/** Goes to a kind or a page by a few letters of its name. */
export function Palette({ close, namespace }: { readonly close: () => void; readonly namespace: string }): JSX.Element {
  const { kinds, go } = useConsole();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  const targets = useMemo((): readonly Target[] => {
    const wanted = text.trim().toLowerCase();
    const pages = insights.filter(({ title }) => wanted !== "" && title.toLowerCase().includes(wanted));
    return [
      ...searchKinds(kinds.filter(isListed), text).map((kind) => ({
        title: kind.kind,
        detail: [kind.plural, kind.group].filter((part) => part !== "").join("."),
        hash: listRoute(kind, { namespace: kind.namespaced ? namespace : "" }),
      })),
      ...pages.map(({ title, hash }) => ({ title, detail: "page", hash })),
    ].slice(0, most);
  }, [kinds, text, namespace]);
  const choose = (target: Target | undefined): void => {
    if (target === undefined) return;
    close();
    go(target.hash);
  };
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      setAt((at + by + targets.length) % Math.max(1, targets.length));
    }
    if (event.key === "Enter") choose(targets[at]);
  };
  return (
    <Dialog title="Go to" close={close}>
      <input
        ref={box}
        type="search"
        class="palette-box"
        aria-controls="palette-targets"
        aria-activedescendant={targets.length === 0 ? undefined : `palette-${at}`}
        aria-label="Kind or page"
        placeholder="Kind or page: po, deploy, flow…"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id="palette-targets" class="palette-targets" role="listbox" aria-label="Kinds and pages">
        {targets.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the keys
          <div
            key={target.hash}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(target)}
          >
            <span>{target.title}</span>
            <span class="muted">{target.detail}</span>
          </div>
        ))}
      </div>
      {targets.length === 0 && <p class="muted">Nothing is called that.</p>}
    </Dialog>
  );
}
