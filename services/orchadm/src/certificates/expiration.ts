import { X509Certificate } from "node:crypto";
import { printYaml } from "@orch/codec/yaml/yaml.js";
import type { Naming } from "@orch/naming/naming.js";
import { jsonText } from "@orch/status/json-text.js";
import { wireTime } from "@orch/status/wire-time.js";
import { authorities, authorityOf, certificateOf, type Place, renewables } from "./existing.js";

interface Line {
  readonly name: string;
  /** Milliseconds since 1970; undefined where the certificate lacks. */
  readonly end: number | undefined;
  readonly authority: string;
  /** The key that signs it is somewhere else. */
  readonly isExternal: boolean;
}

export interface Expirations {
  readonly certificates: readonly Line[];
  readonly authorities: readonly Line[];
}

/** When the certificates of a machine end. */
export function expirations(place: Place): Expirations {
  const isExternal = (base: string): boolean => authorityOf(place, base).key === undefined;
  return {
    certificates: renewables.map((renewable) => ({
      ...{ name: renewable.name, authority: renewable.authority.replace("/", "-") },
      end: endOf(certificateOf(renewable, place)),
      isExternal: isExternal(renewable.authority),
    })),
    authorities: [...authorities].sort(byName).map(({ name, base }) => {
      const { certificate } = authorityOf(place, base);
      const read = certificate === undefined ? undefined : new X509Certificate(certificate);
      return { name, authority: "", end: endOf(read), isExternal: isExternal(base) };
    }),
  };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

const endOf = (certificate: X509Certificate | undefined): number | undefined =>
  certificate === undefined ? undefined : Date.parse(certificate.validTo);

/** The answer of `certs check-expiration`. */
export function printExpirations(
  found: Expirations,
  form: "text" | "json" | "yaml",
  { naming, now }: { readonly naming: Naming; readonly now: number },
): string {
  if (form === "text") return textOf(found, now);
  const entry = ({ name, end, authority, isExternal }: Line) => ({
    name,
    ...(authority === "" ? {} : { caName: authority }),
    ...(end === undefined ? {} : { expirationDate: wireTime(end), residualTime: Math.floor((end - now) / 1000) }),
    externallyManaged: isExternal,
    missing: end === undefined,
  });
  const value = {
    apiVersion: `output.${naming.configurationGroup("orchadm")}/v1alpha3`,
    kind: "CertificateExpirationInfo",
    certificates: found.certificates.map(entry),
    certificateAuthorities: found.authorities.map(entry),
  };
  return form === "json" ? `${jsonText(value, 4)}\n` : printYaml(value);
}

function textOf({ certificates, authorities: signers }: Expirations, now: number): string {
  const ends = (line: Line): readonly string[] =>
    line.end === undefined ? ["", ""] : [dateText(line.end), residual(line.end - now)];
  const name = (line: Line): string => (line.end === undefined ? `!MISSING! ${line.name}` : line.name);
  const yes = (is: boolean): string => (is ? "yes" : "no");
  return `${table([
    ["CERTIFICATE", "EXPIRES", "RESIDUAL TIME", "CERTIFICATE AUTHORITY", "EXTERNALLY MANAGED"],
    ...certificates.map((line) => [
      name(line),
      ...ends(line),
      line.authority,
      line.end === undefined ? "" : yes(line.isExternal),
    ]),
  ])}\n${table([
    ["CERTIFICATE AUTHORITY", "EXPIRES", "RESIDUAL TIME", "EXTERNALLY MANAGED"],
    ...signers.map((line) => [name(line), ...ends(line), line.end === undefined ? "" : yes(line.isExternal)]),
  ])}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Dec 30, 2026 23:36 UTC` */
function dateText(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${months[date.getUTCMonth()]} ${two(date.getUTCDate())}, ${date.getUTCFullYear()} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())} UTC`;
}

const [yearDays, dayMs, hourMs, minuteMs] = [365, 86_400_000, 3_600_000, 60_000];

/** The largest unit of which there is one: `9y`, `364d`, `23h`, `59m`, `<invalid>` once it is over. */
function residual(ms: number): string {
  if (ms < 0) return "<invalid>";
  const days = Math.floor(ms / dayMs);
  if (days >= 2 * yearDays) return `${Math.floor(days / yearDays)}y`;
  if (days > 0) return `${days}d`;
  return ms >= hourMs ? `${Math.floor(ms / hourMs)}h` : `${Math.floor(ms / minuteMs)}m`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? "").length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}
