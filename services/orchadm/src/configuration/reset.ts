import type { ResetConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import { ignoredChecks } from "../preflight/preflight.js";
import type { ResetValues } from "../reset/flags.js";
import type { Tools } from "../world.js";
import { kindsOf, readFileOf, refuseMixed } from "./read-file.js";

export interface ResetLine {
  readonly values: ResetValues;
  readonly given: ReadonlySet<string>;
}

/** What `reset` goes by: a file, or flags, over defaults. @throws Error with what is wrong */
export function resetInput({ values, given }: ResetLine, tools: Tools): ResetConfiguration {
  refuseMixed(given);
  const { reset: kind } = kindsOf(tools);
  const documents = values.config === "" ? [] : readFileOf(values.config, [kind], tools);
  const read = documents.map((document) => kind.from(document)).find((each) => each !== undefined);
  if (values.config !== "" && read === undefined) {
    throw new Error(`no ResetConfiguration found in config file ${JSON.stringify(values.config)}`);
  }
  const base = read ?? kind.defaults();
  const whole = kind.fill({
    ...base,
    certificatesDir: values["cert-dir"] || base.certificatesDir,
    criSocket: values["cri-socket"] || base.criSocket,
    cleanupTmpDir: values["cleanup-tmp-dir"] || base.cleanupTmpDir,
    dryRun: values["dry-run"] || base.dryRun,
    force: values.force || base.force,
    ignorePreflightErrors: [...ignoredChecks(values["ignore-preflight-errors"], base.ignorePreflightErrors)],
    skipPhases: given.has("skip-phases") ? values["skip-phases"] : base.skipPhases,
  });
  const problems = kind.check(whole);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return whole;
}
