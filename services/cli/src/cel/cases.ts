import { canonical, differences, type Got, parseRow, runCase } from "@orch/cel/cases/run.js";
import { readJson } from "@orch/status/read-json.js";
import { dialectOf, Unusable, type World } from "./world.js";

/**
 * Runs rows of cases, a line of JSON each, and prints each that differs: its id, what was expected, what came. Rows of
 * kinds that an expression alone does not answer are counted and passed over.
 */
export function runCases(path: string, dialectName: string, world: World): number {
  const dialect = dialectOf(dialectName);
  let held = 0;
  let differ = 0;
  const passed = new Map<string, number>();
  const lines = world.files.read(path).toString("utf8").split("\n");
  for (const [i, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const row = read(line, `${path}:${i + 1}`);
    const got = runCase(row, dialect);
    if (got === undefined) {
      passed.set(row.kind, (passed.get(row.kind) ?? 0) + 1);
      continue;
    }
    const wrong = differences(row.want, got);
    if (wrong === undefined) held += 1;
    else {
      differ += 1;
      world.print(`${row.id}\n  expected ${part(row.want, wrong)}\n  got      ${part(got, wrong)}`);
    }
  }
  for (const [kind, count] of passed) world.print(`${count} of kind ${kind} not run`);
  world.print(`${held} held, ${differ} differ`);
  return differ === 0 ? 0 : 1;
}

function read(line: string, where: string): ReturnType<typeof parseRow> {
  try {
    return parseRow(line, readJson);
  } catch {
    throw new Unusable(`${where}: no JSON`);
  }
}

/** The fields that differ. */
function part(all: Got, wrong: Got): string {
  return canonical(Object.fromEntries(Object.keys(wrong).map((key) => [key, all[key]])));
}
