import type { HeaderList } from "./response.js";

/** Headers of warnings; more of them are told in one header. Clients refuse a response of some hundred headers. */
const maxHeaders = 50;
const maxWarnings = 4096;
const maxWarning = 256;

/** RFC 7234 section 5.5: one header a warning, code 299. */
export function warningHeaders(warnings: readonly string[]): HeaderList {
  if (warnings.length === 0) return [];
  const all = [...new Set(warnings)];
  const said = shortened(all.slice(0, maxHeaders));
  // What the bound of characters alone leaves out is not told, as in the reference.
  const left = all.length > maxHeaders ? all.length - said.length : 0;
  const texts = left === 0 ? said : [...said, `and ${left} more warning${left === 1 ? "" : "s"}`];
  return texts.flatMap((text) => ["Warning", headerText(text)]);
}

/**
 * Characters of all warnings are bounded, as in the reference: clients refuse a response of endless headers. Too many
 * are cut, each, and none begins behind the bound.
 */
function shortened(warnings: readonly string[]): readonly string[] {
  // One character more than may stay tells that a text is too long.
  const runes = warnings.map((text) => [...text.slice(0, 2 * maxWarnings + 2)]);
  if (runes.reduce((sum, text) => sum + text.length, 0) <= maxWarnings) return warnings;
  let written = 0;
  return runes.flatMap((text) => {
    if (written >= maxWarnings) return [];
    const short = text.slice(0, maxWarning);
    written += short.length;
    return [short.join("")];
  });
}

/** A quoted text as a header can carry it: control characters escaped or dropped, the rest as bytes of UTF-8. */
function headerText(text: string): string {
  return Buffer.from(`299 - ${JSON.stringify(text).replaceAll("\x7f", "")}`, "utf8").toString("latin1");
}
