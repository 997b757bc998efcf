import type { HeaderList } from "./response.js";

/**
 * The most warnings with a header each; one more header counts the rest. Clients refuse a response with hundreds of
 * headers.
 */
const maxHeaders = 50;
const maxWarnings = 4096;
const maxWarning = 256;

/** RFC 7234 section 5.5: one header a warning, code 299. */
export function warningHeaders(warnings: readonly string[]): HeaderList {
  if (warnings.length === 0) return [];
  const all = [...new Set(warnings)];
  const said = shortened(all.slice(0, maxHeaders));
  // Warnings that only the limit of characters leaves out are not counted, as in the reference.
  const left = all.length > maxHeaders ? all.length - said.length : 0;
  const texts = left === 0 ? said : [...said, `and ${left} more warning${left === 1 ? "" : "s"}`];
  return texts.flatMap((text) => ["Warning", headerText(text)]);
}

/**
 * Limits the characters of all warnings together, as the reference does: clients refuse a response with endless headers. If
 * there are too many, each warning is cut, and those that would begin beyond the limit are left out.
 */
function shortened(warnings: readonly string[]): readonly string[] {
  // One character more than the limit is enough to see that a text is too long.
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

/** A quoted text in the form that a header can carry: control characters are escaped or dropped, the rest is UTF-8. */
function headerText(text: string): string {
  return Buffer.from(`299 - ${JSON.stringify(text).replaceAll("\x7f", "")}`, "utf8").toString("latin1");
}
