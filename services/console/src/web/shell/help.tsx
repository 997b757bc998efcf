import type { JSX } from "preact";
import type { Binding } from "../keys.js";
import { Dialog } from "../parts/dialog.js";
import { Key } from "../parts/small.js";

/** What the keys do that are in force. */
export function Help({
  bindings,
  close,
}: {
  readonly bindings: readonly Binding[];
  readonly close: () => void;
}): JSX.Element {
  const seen = new Map(bindings.map((binding) => [binding.keys, binding]));
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {[...seen.values()].map(({ keys, help }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <Key key={key}>{key.replace("Control+", "Ctrl ").replace("Arrow", "")}</Key>
              ))}
            </dt>
            <dd>{help}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
