import { parseYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { type CollectorTarget, readEndpoint } from "./endpoint.js";

/** What the file of `--tracing-config-file` says. */
export interface TracingConfiguration {
  readonly collector: CollectorTarget;
  /** [0, 1]: of traces that begin here; a request that is part of a trace follows its sender's decision. */
  readonly samplingRate: number;
}

export type ParsedTracing =
  | { readonly ok: true; readonly configuration: TracingConfiguration }
  /** A sentence for the person who starts the program. */
  | { readonly ok: false; readonly problem: string };

const kind = "TracingConfiguration";
const versions = ["v1alpha1", "v1beta1"];
const fields = ["apiVersion", "kind", "endpoint", "samplingRatePerMillion"];
const million = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;

/** Reads the file, YAML or JSON. A file without a kind or a version is read as the newest one. */
export function parseTracingFile(text: string, naming: Naming): ParsedTracing {
  const unread = (problem: string): ParsedTracing => refused(`unable to decode tracing configuration data: ${problem}`);
  const decoded = text.trim() === "" ? empty : parseYaml(Buffer.from(text));
  if (!decoded.ok) return unread(decoded.problem);
  const file = decoded.value ?? {};
  if (!isObject(file)) return unread("the file must be an object");
  const { apiVersion = "", kind: given = "" } = file;
  const known = ["", ...versions.map((version) => `${naming.group("apiserver.config")}/${version}`)];
  if (typeof apiVersion !== "string" || !known.includes(apiVersion) || (given !== "" && given !== kind)) {
    return unread(`no kind ${JSON.stringify(given)} is registered for version ${JSON.stringify(apiVersion)}`);
  }
  const { endpoint = "", samplingRatePerMillion: rate } = withoutNulls(file);
  if (typeof endpoint !== "string") return unread("endpoint: must be a string");
  if (rate !== undefined && !isInt32(rate)) return unread("samplingRatePerMillion: must be a whole number of 32 bits");
  const wrong = [
    ...decoded.duplicates.map((field) => `field ${JSON.stringify(field)} is given twice`),
    ...Object.keys(file)
      .filter((name) => !fields.includes(name))
      .map((name) => `unknown field ${JSON.stringify(name)}`),
  ];
  if (wrong.length > 0) return unread(`strict decoding error: ${wrong.join(", ")}`);
  return validated(endpoint, rate ?? 0);
}

const empty = { ok: true, value: {}, duplicates: [] } as const;

function validated(endpoint: string, rate: number): ParsedTracing {
  const read = readEndpoint(endpoint);
  const errors = [
    ...(rate < 0 ? [`samplingRatePerMillion: Invalid value: ${rate}: sampling rate must be positive`] : []),
    ...(rate > million
      ? [
          `samplingRatePerMillion: Invalid value: ${rate}: sampling rate per million must be less than or equal to one million`,
        ]
      : []),
    ...(read.ok ? [] : [`endpoint: Invalid value: ${JSON.stringify(read.value)}: ${read.problem}`]),
  ];
  if (read.ok && errors.length === 0) {
    return { ok: true, configuration: { collector: read.target, samplingRate: rate / million } };
  }
  const all = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
  return refused(`failed to validate tracing configuration: ${all}`);
}

const refused = (problem: string): ParsedTracing => ({ ok: false, problem });

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `null` is as good as absent. */
function withoutNulls(file: Fields): Fields {
  return Object.fromEntries(Object.entries(file).filter(([, value]) => value !== null));
}

const isInt32 = (value: unknown): value is number => typeof value === "number" && (value | 0) === value;
