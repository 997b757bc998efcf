/** The text of a double as `string()` writes it: the shortest digits, an exponent below 1e-4 and from 1e6 on. */
export function doubleText(value: number, exponentFrom = 6): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= exponentFrom) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  const digits = mantissa.replace("-", "").replace(".", "");
  const sign = value < 0 ? "-" : "";
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, "0");
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

const words: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
};

/** A number as the reference's standard library reads one; undefined where the text is none or is too large. */
export function parseDouble(text: string): number | undefined {
  const signed = text[0] === "-" || text[0] === "+";
  const body = signed ? text.slice(1) : text;
  const sign = text[0] === "-" ? -1 : 1;
  const word = body.length <= 8 ? words[body.toLowerCase()] : undefined;
  if (word !== undefined) return Number.isNaN(word) && signed ? undefined : sign * word;
  if (!isDecimal(body)) return undefined;
  const value = Number(body);
  return Number.isFinite(value) ? sign * value : undefined;
}

function isDecimal(text: string): boolean {
  let at = 0;
  let digits = 0;
  const run = (): void => {
    while (at < text.length && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) {
      at += 1;
      digits += 1;
    }
  };
  run();
  if (text[at] === ".") at += 1;
  run();
  if (digits === 0) return false;
  if (text[at] === "e" || text[at] === "E") {
    at += 1;
    if (text[at] === "+" || text[at] === "-") at += 1;
    digits = 0;
    run();
    if (digits === 0) return false;
  }
  return at === text.length;
}
