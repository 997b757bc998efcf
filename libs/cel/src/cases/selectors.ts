/** A selector of a check as the rows tell it: what it requires, or why it cannot be read. */
export type SelectorText = { readonly text: string } | { readonly error: string };

/** Requirements of fields, each with its operator before its field: `[{!= a b} {= c d}]`. */
export function fieldSelectorText(selector: string): SelectorText {
  const parts: string[] = [];
  for (const term of selector.split(",")) {
    if (term === "") continue;
    const operator = ["!=", "==", "="].find((op) => term.includes(op));
    if (operator === undefined) return { error: `invalid selector: '${selector}'; can't understand '${term}'` };
    const at = term.indexOf(operator);
    const value = term.slice(at + operator.length);
    parts.push(`{${operator === "!=" ? "!=" : "="} ${term.slice(0, at)} ${value}}`);
  }
  return { text: `[${parts.join(" ")}]` };
}

/** Requirements of labels in the order of their keys: `app in (x,y), !z`. */
export function labelSelectorText(selector: string): SelectorText {
  const parts: { readonly key: string; readonly text: string }[] = [];
  for (const term of termsOf(selector)) {
    const part = requirement(term);
    if ("error" in part) return part;
    parts.push(part);
  }
  parts.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return { text: parts.map((part) => part.text).join(", ") };
}

/** Split at commas outside of parentheses. */
function termsOf(selector: string): readonly string[] {
  const terms: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= selector.length; i++) {
    if (selector[i] === "(") depth += 1;
    if (selector[i] === ")") depth -= 1;
    if (i < selector.length && (selector[i] !== "," || depth > 0)) continue;
    terms.push(selector.slice(start, i).trim());
    start = i + 1;
  }
  return terms.filter((term) => term !== "");
}

const failed = (found: string, expected: string): { readonly error: string } => ({
  error: `unable to parse requirement: found '${found}' expected: ${expected}`,
});

function requirement(term: string): { readonly key: string; readonly text: string } | { readonly error: string } {
  if (term.startsWith("!")) return { key: term.slice(1).trim(), text: `!${term.slice(1).trim()}` };
  for (const operator of ["!=", "==", "=", ">", "<"]) {
    const at = term.indexOf(operator);
    if (at === -1) continue;
    const key = term.slice(0, at).trim();
    const value = term.slice(at + operator.length).trim();
    return { key, text: `${key}${operator === "==" ? "=" : operator}${value}` };
  }
  const [key = "", word, ...rest] = term.split(" ").filter((part) => part !== "");
  if (word === undefined) return { key, text: key };
  if (word !== "in" && word !== "notin") return failed(word, "in, notin, =, ==, !=, gt, lt");
  const set = rest.join("");
  if (!set.startsWith("(")) return failed(set, "'('");
  const values = set.slice(1, -1).split(",").sort();
  return { key, text: `${key} ${word} (${values.join(",")})` };
}
