import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { diffLines, foldDiff } from "../yaml/diff-lines.js";

export interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  /** What stands there where nothing differs. */
  readonly same?: string;
}

/** What differs between two texts, line by line. */
export function DiffView({ before, after, same = "Nothing differs." }: DiffViewProps): JSX.Element {
  const parts = useMemo(() => foldDiff(diffLines(before, after)), [before, after]);
  if (parts.every((part) => "leftOut" in part)) return <p class="muted">{same}</p>;
  return (
    <pre class="diff" role="region" tabIndex={0} aria-label="Differences">
      {parts.map((part, index) =>
        "leftOut" in part ? (
          <div key={index} class="diff-gap">
            {part.leftOut} lines alike
          </div>
        ) : (
          part.lines.map(({ sign, text }, at) => (
            <div key={`${index}/${at}`} class={sign === "+" ? "diff-added" : sign === "-" ? "diff-removed" : ""}>
              <span class="diff-sign">{sign}</span>
              {text}
            </div>
          ))
        ),
      )}
    </pre>
  );
}
