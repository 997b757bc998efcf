import { printable } from "../explain/session.js";
import type { Other } from "./facts.js";
import type { Deletion, Waiting } from "./reasons.js";

export function deletionText(deletion: Deletion): string {
  const { kind, name, namespace, state, since, seconds, waiting, owners, notes } = deletion;
  const what = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
  const lines = [
    headline(what, deletion),
    ...(since === undefined ? [] : [`deleted at ${since}, ${ageText(seconds ?? 0)} ago`]),
    ...waiting.flatMap(waitingLines),
    ...(state === "waiting" || state === "graceful"
      ? owners.map(({ kind: of, name: called }) => `owner: ${of} ${called}, which may make another one in its place`)
      : []),
    ...notes.map((note) => `note: ${note}`),
  ];
  return printable(lines.join("\n"));
}

function headline(what: string, { state, waiting }: Deletion): string {
  switch (state) {
    case "notDeleted":
      return `${what} is not being deleted`;
    case "graceful":
      return `${what} is being stopped`;
    case "done":
      return `${what} waits for nothing: it is about to go`;
    case "waiting":
      return `${what} waits for ${waiting.length === 1 ? "a finalizer" : `${waiting.length} finalizers`}`;
  }
}

function waitingLines({ finalizer, who, waitsFor, left, moreLeft }: Waiting): readonly string[] {
  return [
    `finalizer ${finalizer}`,
    `  ${who} takes it away when ${waitsFor}`,
    ...left.map((other) => `  still there: ${otherText(other)}`),
    ...(moreLeft === 0 ? [] : [`  and ${moreLeft} more`]),
  ];
}

function otherText({ kind, namespace, name, finalizers, isGoing }: Other): string {
  const state = isGoing ? "being deleted" : "not deleted yet";
  const waits = finalizers.length === 0 ? "" : `, has the finalizers ${finalizers.join(", ")}`;
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name} (${state}${waits})`;
}

function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} hours` : `${Math.floor(seconds / 86_400)} days`;
}
