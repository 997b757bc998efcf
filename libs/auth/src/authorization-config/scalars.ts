// What libs/schema knows of formats is out of reach here: libs/auth imports naming, status and api alone.

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration in Go's syntax, `1m30s`; undefined where it is none. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  if (text.length > 64 || !/^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, number = "", unit = ""] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    ms += Number(number) * (units[unit] ?? 0);
  }
  return text.startsWith("-") ? -ms : ms;
}

const labelText = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const label = new RegExp(`^${labelText}$`);

/** What is wrong with a DNS-1123 label, in the reference's words. */
export function labelProblems(text: string): readonly string[] {
  const rule = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${labelText}')`;
  return [...(text.length > 63 ? ["must be no more than 63 characters"] : []), ...(label.test(text) ? [] : [rule])];
}
