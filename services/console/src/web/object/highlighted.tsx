import type { JSX } from "preact";
import { useMemo } from "preact/hooks";

/** Longer texts are shown plain: nobody reads colours in them, and each line costs. */
const mostLines = 4000;

/** The colours behind a text that is edited: keys, values, comments. */
export function Highlighted({ lines }: { readonly lines: readonly string[] }): JSX.Element {
  const content = useMemo(
    () => (lines.length > mostLines ? lines.join("\n") : lines.map((line, index) => <Line key={index} line={line} />)),
    [lines],
  );
  return (
    <pre class="highlighted" aria-hidden="true">
      {content}
    </pre>
  );
}

export function Line({ line }: { readonly line: string }): JSX.Element {
  const { before, key, after } = cutLine(line);
  return (
    <div>
      {before}
      {key !== "" && <span class="yaml-key">{key}</span>}
      <span class={after.trimStart().startsWith("#") ? "yaml-comment" : "yaml-value"}>{after}</span>
      {line === "" && "\n"}
    </div>
  );
}

/** `  - name: web` → `  - `, `name:`, ` web`. */
export function cutLine(line: string): { readonly before: string; readonly key: string; readonly after: string } {
  let start = 0;
  while (line[start] === " " || (line[start] === "-" && line[start + 1] === " ")) start++;
  let colon = line.indexOf(":", start);
  while (colon >= 0 && colon + 1 < line.length && line[colon + 1] !== " ") colon = line.indexOf(":", colon + 1);
  if (colon < 0 || line[start] === "#") return { before: line.slice(0, start), key: "", after: line.slice(start) };
  return { before: line.slice(0, start), key: line.slice(start, colon + 1), after: line.slice(colon + 1) };
}
