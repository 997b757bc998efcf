import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Candidate, type Completion, complete } from "../yaml/completion.js";
import type { Schemas } from "../yaml/schemas.js";
import { Highlighted } from "./highlighted.js";

export interface EditorProps {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly schemas: Schemas | undefined;
  /** What stands beside each line, from 0. */
  readonly beside: (line: number) => JSX.Element | undefined;
  /** The line in which something is wrong, from 1. */
  readonly badLine: number | undefined;
  readonly save: () => void;
}

interface Popup extends Completion {
  readonly chosen: number;
  readonly line: number;
  readonly column: number;
}

/** A text of YAML with what may be written at the cursor, and with who owns each line beside it. */
export function Editor({ text, change, schemas, beside, badLine, save }: EditorProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const [popup, setPopup] = useState<Popup>();
  const lines = useMemo(() => text.split("\n"), [text]);
  const widest = useMemo(() => lines.reduce((most, line) => Math.max(most, line.length), 40), [lines]);

  const popupAt = ({ value, selectionStart: cursor }: HTMLTextAreaElement, isAsked: boolean): Popup | undefined => {
    const found = schemas === undefined ? undefined : complete(value, cursor, schemas);
    if (found === undefined) return undefined;
    const word = value.slice(found.from, cursor);
    if (!isAsked && word === "") return undefined;
    if (found.candidates.length === 1 && found.candidates[0]?.label === word) return undefined;
    const before = value.slice(0, found.from).split("\n");
    return { ...found, chosen: 0, line: before.length - 1, column: before.at(-1)?.length ?? 0 };
  };
  const suggest = (isAsked: boolean): void => {
    if (area.current !== null) setPopup(popupAt(area.current, isAsked));
  };
  // What is known of the kind may come while somebody types already.
  useEffect(() => {
    if (document.activeElement === area.current) suggest(false);
  }, [schemas]);
  const typed = useRef(text);
  const caret = useRef<readonly [number, number]>([0, 0]);
  const type = (written: string): void => {
    typed.current = written;
    change(written);
  };
  // A text that comes from the server leaves the cursor where it was.
  useLayoutEffect(() => {
    if (text === typed.current) return;
    typed.current = text;
    if (document.activeElement === area.current) area.current?.setSelectionRange(...caret.current);
  }, [text]);
  const keepCaret = ({
    currentTarget: { selectionStart, selectionEnd },
  }: {
    readonly currentTarget: HTMLTextAreaElement;
  }): void => {
    caret.current = [selectionStart, selectionEnd];
  };
  const accept = (candidate: Candidate): void => {
    const element = area.current;
    if (element === null || popup === undefined) return;
    element.setRangeText(candidate.insert, popup.from, element.selectionStart, "end");
    element.focus();
    type(element.value);
    setPopup(undefined);
  };
  const choose = (event: KeyboardEvent, { candidates, chosen }: Popup): boolean => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const candidate = candidates[chosen];
    if (by !== undefined && popup !== undefined)
      setPopup({ ...popup, chosen: (chosen + by + candidates.length) % candidates.length });
    else if ((event.key === "Enter" || event.key === "Tab") && candidate !== undefined) accept(candidate);
    else if (event.key === "Escape") setPopup(undefined);
    else return false;
    return true;
  };
  const press = (event: KeyboardEvent): void => {
    const isControl = event.ctrlKey || event.metaKey;
    let isDone = true;
    if (isControl && event.key === " ") suggest(true);
    else if (isControl && event.key === "s") save();
    else if (popup !== undefined) isDone = choose(event, popup);
    else isDone = event.key === "Enter" && keepIndent(event, type);
    if (!isDone) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="editor">
      <div class="editor-inside" style={{ minWidth: `calc(${widest + 4}ch + 290px)` }}>
        <div class="editor-numbers" aria-hidden="true">
          {lines.map((_, index) => (
            <div key={index} class={badLine === index + 1 ? "is-bad" : ""}>
              {index + 1}
            </div>
          ))}
        </div>
        <div class="editor-text">
          <Highlighted lines={lines} />
          <textarea
            ref={area}
            aria-label="YAML"
            wrap="off"
            spellcheck={false}
            autocapitalize="off"
            autocomplete="off"
            rows={lines.length}
            value={text}
            onInput={(event) => {
              type(event.currentTarget.value);
              suggest(false);
            }}
            onSelect={keepCaret}
            onKeyDown={press}
            onBlur={() => setTimeout(() => setPopup(undefined), 200)}
          />
          {popup !== undefined && <Suggestions popup={popup} accept={accept} />}
        </div>
        <div class="editor-beside">
          {lines.map((_, index) => (
            <div key={index}>{beside(index + 1)}</div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Suggestions({
  popup,
  accept,
}: {
  readonly popup: Popup;
  readonly accept: (candidate: Candidate) => void;
}): JSX.Element {
  const { candidates, chosen, line, column } = popup;
  const shown = candidates.slice(Math.max(0, chosen - 7), Math.max(0, chosen - 7) + 8);
  return (
    <div class="suggestions" style={{ top: `${(line + 1) * 20 + 8}px`, left: `${column}ch` }}>
      <div role="listbox" aria-label="What may stand here">
        {shown.map((candidate) => (
          <div
            key={candidate.label}
            role="option"
            aria-selected={candidate === candidates[chosen]}
            onMouseDown={(event) => {
              event.preventDefault();
              accept(candidate);
            }}
          >
            <span>
              {candidate.label}
              {candidate.isRequired && <em title="required"> *</em>}
            </span>
            <span class="muted">{candidate.type}</span>
          </div>
        ))}
      </div>
      {candidates[chosen]?.description !== "" && <p class="muted">{candidates[chosen]?.description}</p>}
    </div>
  );
}

/** A new line begins where the one before began; false where that is the first column. */
function keepIndent(event: KeyboardEvent, change: (text: string) => void): boolean {
  const element = event.currentTarget;
  if (!(element instanceof HTMLTextAreaElement)) return false;
  const { value, selectionStart: cursor } = element;
  const line = value.slice(value.lastIndexOf("\n", cursor - 1) + 1, cursor);
  const indent = line.length - line.trimStart().length;
  if (indent === 0) return false;
  element.setRangeText(`\n${" ".repeat(indent)}`, cursor, element.selectionEnd, "end");
  change(element.value);
  return true;
}
