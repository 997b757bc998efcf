import { parseArgs } from "node:util";
import { ApiError } from "@orch/status/api-error.js";
import { runCases } from "./cases.js";
import { evaluate } from "./evaluate.js";
import { runRules } from "./rules.js";
import { dialectOf, Unusable, type World } from "./world.js";

const help = `usage:
  orch cel [options] EXPRESSION     type, cost, estimate and value of an expression
  orch cel test RULES               run the cases of a file of rules
  orch cel --cases FILE             run rows of cases, tell those that differ

options:
  --object KIND/NAME   a live object, as deployments/web or Widget.example.com/a, with its type
  --orchconfig FILE    the client configuration by which it is read (ORCHCONFIG)
  --namespace NAME     where it is; the configuration's own where absent
  --file FILE          the object, as YAML or JSON (- reads the standard input): the variables self and object
  --old-file FILE      the object before the change: oldSelf and oldObject
  --schema FILE        the structural schema of the object; without one its fields are dynamic
  --root               the object is a resource: its kind, version and names are declared
  --var NAME=TYPE:JSON a variable more: --var 'n=list(int):[1, 2]'
  --release 1.N        new expressions of a release; without it all libraries, as for stored ones
  --limit UNITS        what an evaluation may cost (1000000)
  --explain            the value of each sub-expression
  --api-dialect NAME   orch or kubernetes (orch)`;

const options = {
  object: { type: "string" },
  orchconfig: { type: "string" },
  namespace: { type: "string", short: "n" },
  file: { type: "string" },
  "old-file": { type: "string" },
  schema: { type: "string" },
  root: { type: "boolean" },
  var: { type: "string", multiple: true },
  release: { type: "string" },
  limit: { type: "string" },
  explain: { type: "boolean" },
  cases: { type: "string" },
  "api-dialect": { type: "string" },
  help: { type: "boolean" },
} as const;

export const celFlags: readonly string[] = Object.keys(options);

/** Runs `orch cel`; gives the exit status: 0 if all held, 1 if something did not, 2 if it cannot be run. */
export async function runCel(args: readonly string[], world: World): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help === true || (positionals.length === 0 && values.cases === undefined)) {
      world.print(help);
      return 0;
    }
    const dialect = dialectOf(values["api-dialect"]);
    if (values.cases !== undefined) return await runCases(values.cases, values["api-dialect"] ?? "kubernetes", world);
    const [first = "", second] = positionals;
    if (first === "test" && second !== undefined) return runRules(second, dialect, world);
    const live =
      values.object === undefined
        ? undefined
        : await world.liveObject({ ...values, reference: values.object, dialect });
    return evaluate({ ...values, expression: first, dialect, live }, world);
  } catch (thrown) {
    if (!(thrown instanceof Error) || !isUsersFault(thrown)) throw thrown;
    world.print(`orch cel: ${thrown.message}`);
    return 2;
  }
}

function isUsersFault(error: Error): boolean {
  if (error instanceof Unusable || error instanceof ApiError) return true;
  const code = "code" in error ? String(error.code) : "";
  return code.startsWith("ERR_PARSE_ARGS") || code.startsWith("E");
}
