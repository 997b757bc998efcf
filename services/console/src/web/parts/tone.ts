/** How a word of a state is meant; it is shown as a colour beside the word, never instead of it. */
export type Tone = "good" | "busy" | "bad" | "plain";

const words: Readonly<Record<Exclude<Tone, "plain">, ReadonlySet<string>>> = {
  good: new Set([
    "running",
    "ready",
    "active",
    "bound",
    "available",
    "true",
    "complete",
    "completed",
    "succeeded",
    "approved",
    "issued",
    "established",
    "normal",
    "healthy",
  ]),
  busy: new Set([
    "pending",
    "containercreating",
    "podinitializing",
    "terminating",
    "progressing",
    "unknown",
    "waiting",
    "suspended",
    "schedulinggated",
    "released",
    "warning",
  ]),
  bad: new Set([
    "failed",
    "error",
    "crashloopbackoff",
    "imagepullbackoff",
    "errimagepull",
    "errimageneverpull",
    "invalidimagename",
    "createcontainerconfigerror",
    "createcontainererror",
    "runcontainererror",
    "oomkilled",
    "evicted",
    "notready",
    "lost",
    "denied",
    "false",
    "deadlineexceeded",
    "nodelost",
    "unhealthy",
  ]),
};

/** Columns whose cells are states. */
const stateColumns: ReadonlySet<string> = new Set([
  "status",
  "phase",
  "state",
  "condition",
  "conditions",
  "available",
  "type",
]);

export function toneOf(text: string): Tone {
  const first = (text.split(",")[0] ?? "").toLowerCase();
  const word = first.startsWith("init:") ? first.slice(5) : first;
  for (const tone of ["good", "busy", "bad"] as const) if (words[tone].has(word)) return tone;
  return "plain";
}

/** Of a cell: states by their word, `1/3` by whether all are there. */
export function toneOfCell(column: string, text: string): Tone {
  const name = column.toLowerCase();
  if (name === "ready" || name === "completions") return toneOfShare(text);
  return stateColumns.has(name) ? toneOf(text) : "plain";
}

function toneOfShare(text: string): Tone {
  const [there = "", wanted = ""] = text.split("/");
  if (wanted === "" || there === "") return toneOf(text) === "plain" ? "plain" : toneOf(text);
  return there === wanted ? "plain" : "busy";
}
