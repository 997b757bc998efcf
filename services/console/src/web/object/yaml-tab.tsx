import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { asFailure, type Failure } from "../api/failure.js";
import { objectPath, versionPath } from "../api/paths.js";
import { useConsole } from "../context.js";
import { useLoaded, useNow } from "../hooks.js";
import { type Tree, textAt, treeAt } from "../json.js";
import { agoText } from "../parts/age.js";
import { Dialog } from "../parts/dialog.js";
import { DiffView } from "../parts/diff-view.js";
import { FailureView } from "../parts/failure-view.js";
import { linePaths } from "../yaml/line-paths.js";
import { type Owner, ownersIn } from "../yaml/ownership.js";
import { parseObject, printCompared, printObject } from "../yaml/print.js";
import { schemasFor } from "../yaml/schemas.js";
import { Editor } from "./editor.js";
import type { ObjectProps } from "./object-props.js";

interface Review {
  readonly after: Tree;
  readonly warnings: readonly string[];
}

/** The object as text: who owns each field, what may be written, and what a change would come to before it is saved. */
export function YamlTab({ kind, place, object }: ObjectProps): JSX.Element {
  const { api, tell } = useConsole();
  const printed = useMemo(() => printObject(object), [object]);
  const [base, setBase] = useState({ object, text: printed });
  const [text, setText] = useState(printed);
  const [failure, setFailure] = useState<Failure>();
  const [review, setReview] = useState<Review>();
  const isChanged = text !== base.text;
  const liveVersion = textAt(object, "metadata", "resourceVersion");
  const isBehind = liveVersion !== textAt(base.object, "metadata", "resourceVersion");
  const takeOver = (): void => {
    setBase({ object, text: printed });
    setText(printed);
    setFailure(undefined);
  };
  // Nothing is typed: what comes is shown.
  useEffect(() => {
    if (!isChanged && isBehind) takeOver();
  });
  const parsed = useMemo(() => parseObject(text), [text]);
  const schemas = useLoaded(
    async (signal) => {
      const path = versionPath(kind);
      return schemasFor(await api.get(`/openapi/v3${path}`, { signal }), kind);
    },
    [api, kind],
  );
  const beside = useOwners(base.object, text);

  const put = async (isTrial: boolean): Promise<void> => {
    if (!parsed.ok || !isChanged) return;
    const query = isTrial ? "?dryRun=All&fieldValidation=Strict" : "?fieldValidation=Strict&fieldManager=console";
    try {
      const { document, warnings } = await api.send("PUT", objectPath(kind, place) + query, parsed.object);
      setFailure(undefined);
      const after = treeAt(document);
      if (isTrial) return setReview({ after, warnings });
      setReview(undefined);
      setBase({ object: after, text: printObject(after) });
      setText(printObject(after));
      tell(`${place.name} is saved`);
    } catch (error) {
      setReview(undefined);
      setFailure(asFailure(error));
    }
  };
  const canWrite = kind.verbs.has("update");
  return (
    <div class="tab yaml-tab">
      <div class="tab-tools">
        <p class="muted">
          {isChanged && isBehind
            ? "The object has changed meanwhile: saving will be refused until you take over its state."
            : "Ctrl Space: what may stand here. Beside each line: who owns it."}
        </p>
        <div class="actions">
          {isChanged && (
            <button type="button" onClick={takeOver}>
              {isBehind ? "Take over its state" : "Undo changes"}
            </button>
          )}
          <button
            type="button"
            class="primary"
            disabled={!canWrite || !isChanged || !parsed.ok}
            onClick={() => void put(true)}
          >
            Review and save
          </button>
        </div>
      </div>
      {!parsed.ok && (
        <p class="notice" role="alert">
          Line {parsed.line}: {parsed.problem}
        </p>
      )}
      {failure !== undefined && <FailureView failure={failure} what="The server does not accept it" />}
      <Editor
        text={text}
        change={setText}
        schemas={schemas.value}
        beside={beside}
        badLine={parsed.ok ? undefined : parsed.line}
        save={() => void put(true)}
      />
      {review !== undefined && (
        <Dialog wide title={`Save ${place.name}?`} close={() => setReview(undefined)}>
          <p class="muted">What the server would make of it, compared with what is there now:</p>
          <Warnings warnings={review.warnings} />
          <DiffView
            before={printCompared(object)}
            after={printCompared(review.after)}
            same="The server would change nothing."
          />
          <div class="actions">
            <button type="button" onClick={() => setReview(undefined)}>
              Go on editing
            </button>
            <button type="button" class="primary" onClick={() => void put(false)}>
              Save
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

export function Warnings({ warnings }: { readonly warnings: readonly string[] }): JSX.Element {
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
    </>
  );
}

/** What stands beside a line: who owns the field that begins there, told once for lines that follow one another. */
function useOwners(object: Tree, text: string): (line: number) => JSX.Element | undefined {
  const time = useNow(10_000);
  const ownersOf = useMemo(() => ownersIn(object), [object]);
  const owners = useMemo(() => {
    const byLine = new Map<number, readonly Owner[]>();
    for (const [line, path] of linePaths(text)) {
      const found = ownersOf(path);
      if (found.length > 0) byLine.set(line, found);
    }
    return byLine;
  }, [ownersOf, text]);
  return (line) => {
    const found = owners.get(line);
    if (found === undefined) return undefined;
    const label = labelOf(found);
    const before = owners.get(line - 1);
    if (before !== undefined && labelOf(before) === label) return <span class="owner is-same" title={titleOf(found)} />;
    return (
      <span class="owner" title={titleOf(found)}>
        {label} <span class="owner-age">{agoText(Date.parse(found[0]?.time ?? ""), time)}</span>
      </span>
    );
  };
}

const labelOf = (owners: readonly Owner[]): string => owners.map(({ manager }) => manager).join(", ");

const titleOf = (owners: readonly Owner[]): string =>
  owners
    .map(({ manager, operation, subresource, time }) =>
      [manager, operation === "Apply" ? "applied it" : "set it", subresource === "" ? "" : `by ${subresource}`, time]
        .filter((part) => part !== "")
        .join(" "),
    )
    .join("\n");
