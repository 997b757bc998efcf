import type { FormatName } from "../descriptor.js";
import { parseDuration } from "./duration.js";
import { ip } from "./ip.js";
import * as names from "./names.js";
import { parseQuantity } from "./quantity.js";
import { canonicalTime } from "./time.js";

const text =
  (check: (value: string) => names.Problems) =>
  (value: unknown): names.Problems =>
    typeof value === "string" ? check(value) : [];

const formats: Record<FormatName, (value: unknown) => names.Problems> = {
  dnsLabel: text(names.dnsLabel),
  dns1035Label: text(names.dns1035Label),
  dnsSubdomain: text(names.dnsSubdomain),
  qualifiedName: text(names.qualifiedName),
  labelValue: text(names.labelValue),
  pathSegment: text(names.pathSegment),
  portName: text(names.portName),
  configKey: text(names.configKey),
  envName: text(names.envName),
  ip: text(ip),
  quantity: text((value) => {
    const parsed = parseQuantity(value);
    return typeof parsed === "string" ? [parsed] : [];
  }),
  duration: text((value) => (parseDuration(value) === undefined ? ["must be a duration"] : [])),
  time: text((value) => (canonicalTime(value) === undefined ? ["must be an RFC 3339 time"] : [])),
  absolutePath: text(names.absolutePath),
  relativePath: text(names.relativePath),
  noBacksteps: text(names.noBacksteps),
  httpHeaderName: text(names.httpHeaderName),
  fileMode: (value) => (typeof value === "number" ? names.fileMode(value) : []),
  portNumberOrName: (value) =>
    typeof value === "number" ? names.portNumber(value) : typeof value === "string" ? names.portName(value) : [],
};

/** What is wrong with a value of a format; nothing for a value of another type. */
export function formatProblems(format: FormatName, value: unknown): names.Problems {
  return formats[format](value);
}
