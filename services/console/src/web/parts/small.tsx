import type { ComponentChildren, JSX } from "preact";
import type { Tone } from "./tone.js";

/** A state: a colour and its word. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): JSX.Element {
  return <span class={`state state-${tone}`}>{children}</span>;
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Shown only to who waits longer than a blink: its animation begins late. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      {what}
    </p>
  );
}

/** A key of the keyboard. */
export const Key = ({ children }: { readonly children: string }): JSX.Element => <kbd>{children}</kbd>;
