import type { JSX } from "preact";
import { listAt, numberAt, type Tree, textAt, treeAt } from "../json.js";
import { toneOf } from "../parts/tone.js";

/** The containers of a pod or of a template of pods, with their states where they have some. */
export function Containers({
  spec,
  statuses,
}: {
  readonly spec: Tree;
  readonly statuses: readonly unknown[];
}): JSX.Element | null {
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  if (containers.length === 0) return null;
  return (
    <section class="card card-wide">
      <h2>Containers</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Image</th>
            {statuses.length > 0 && <th scope="col">State</th>}
            {statuses.length > 0 && <th scope="col">Restarts</th>}
          </tr>
        </thead>
        <tbody>
          {containers.map((container) => {
            const name = textAt(container, "name");
            const status = statuses.find((each) => textAt(each, "name") === name);
            return (
              <tr key={name}>
                <td>{name}</td>
                <td>
                  <code>{textAt(container, "image")}</code>
                </td>
                {statuses.length > 0 && (
                  <td>
                    <StateOf status={status} />
                  </td>
                )}
                {statuses.length > 0 && <td>{numberAt(status, "restartCount") ?? ""}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function StateOf({ status }: { readonly status: unknown }): JSX.Element {
  const [name = ""] = Object.keys(treeAt(status, "state"));
  const state = treeAt(status, "state", name);
  const reason = textAt(state, "reason");
  const word = reason || name;
  return (
    <>
      <span class={`state state-${toneOf(word)}`}>{word}</span> <span class="muted">{textAt(state, "message")}</span>
    </>
  );
}

export const containerNames = (object: Tree): readonly string[] =>
  ["containers", "initContainers", "ephemeralContainers"].flatMap((list) =>
    listAt(object, "spec", list).map((container) => textAt(container, "name")),
  );
