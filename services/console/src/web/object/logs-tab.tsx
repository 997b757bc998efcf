import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { asFailure, type Failure } from "../api/failure.js";
import { objectPath, query } from "../api/paths.js";
import { useConsole } from "../context.js";
import { FailureView } from "../parts/failure-view.js";
import { containerNames } from "./containers.js";
import type { ObjectProps } from "./object-props.js";

/** The oldest text goes beyond this. */
const mostChars = 500_000;
const keptChars = 400_000;

/** What a container writes, as it comes. */
export function LogsTab({ kind, place, object }: ObjectProps): JSX.Element {
  const { api } = useConsole();
  const names = containerNames(object);
  const [container, setContainer] = useState(names[0] ?? "");
  const [previous, setPrevious] = useState(false);
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<Failure>();
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const ending = new AbortController();
    setText("");
    setFailure(undefined);
    let waiting = "";
    let isAsked = false;
    const show = (): void => {
      isAsked = false;
      const more = waiting;
      waiting = "";
      setText((before) => {
        const whole = before + more;
        return whole.length > mostChars ? whole.slice(whole.indexOf("\n", whole.length - keptChars) + 1) : whole;
      });
    };
    const take = (part: string): void => {
      waiting += part;
      if (isAsked || ending.signal.aborted) return;
      isAsked = true;
      requestAnimationFrame(show);
    };
    const asked = query({ container, follow: !previous, previous, tailLines: 500 });
    api.stream(objectPath(kind, place, "log") + asked, take, { signal: ending.signal }).catch((error: unknown) => {
      if (!ending.signal.aborted) setFailure(asFailure(error));
    });
    return () => ending.abort();
  }, [api, kind, place.name, place.namespace, container, previous]);
  useEffect(() => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  });
  const scrolled = (): void => {
    const element = box.current;
    if (element !== null) isAtEnd.current = element.scrollTop + element.clientHeight > element.scrollHeight - 30;
  };
  return (
    <div class="tab terminal-tab">
      <div class="tab-tools">
        <select aria-label="Container" value={container} onChange={(event) => setContainer(event.currentTarget.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <label class="check">
          <input type="checkbox" checked={previous} onChange={() => setPrevious(!previous)} /> The run before
        </label>
      </div>
      {failure !== undefined && <FailureView failure={failure} what="No agent gives its log" />}
      <pre ref={box} class="terminal" role="log" tabIndex={0} aria-label="Log" onScroll={scrolled}>
        {text === "" && failure === undefined ? <span class="muted">Nothing has been written yet.</span> : text}
      </pre>
    </div>
  );
}
