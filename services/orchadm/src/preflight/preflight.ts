/** One thing that a machine must have. */
export interface Check {
  /** Part of the interface: what `--ignore-preflight-errors` takes. */
  readonly name: string;
  /** What is wrong. */
  readonly find: () => Promise<readonly Finding[]> | readonly Finding[];
}

export interface Finding {
  readonly level: "error" | "warning";
  readonly text: string;
}

export const wrong = (text: string): Finding => ({ level: "error", text });
export const doubtful = (text: string): Finding => ({ level: "warning", text });

/**
 * Checks whose errors are warnings, of the command line and of a file together.
 * @throws Error where `all` stands beside names
 */
export function ignoredChecks(...lists: readonly (readonly string[])[]): readonly string[] {
  const names = [...new Set(lists.flat().map((name) => name.toLowerCase()))].sort();
  if (!names.includes("all") || names.length === 1) return names;
  throw new Error(
    `ignore-preflight-errors: Invalid value: ${JSON.stringify(names.join(","))}: don't specify individual checks if 'all' is used`,
  );
}

export interface PreflightOptions {
  /** Names whose errors are warnings, in any case; `all` is every one. */
  readonly ignored: readonly string[];
  readonly warn: (text: string) => void;
}

/** Runs all checks. @throws Error that lists every error */
export async function preflight(checks: readonly Check[], { ignored, warn }: PreflightOptions): Promise<void> {
  const names = new Set(ignored.map((name) => name.toLowerCase()));
  const isIgnored = (name: string): boolean => names.has("all") || names.has(name.toLowerCase());
  const found = await Promise.all(checks.map(async ({ name, find }) => ({ name, findings: await find() })));
  const errors: string[] = [];
  for (const { name, findings } of found) {
    for (const { level, text } of findings) {
      if (level === "error" && !isIgnored(name)) errors.push(`\t[ERROR ${name}]: ${text}`);
      else warn(`\t[WARNING ${name}]: ${text}\n`);
    }
  }
  if (errors.length === 0) return;
  throw new Error(
    [
      "[preflight] Some fatal errors occurred:",
      ...errors,
      "[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`",
    ].join("\n"),
  );
}
