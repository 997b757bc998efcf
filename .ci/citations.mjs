// Comments cite rules of docs/rules.md by their headings, and nothing that is not in the repository; documents link to files
// that are there.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const elsewhere = /\bspec [123]\b[:)]|\bdesign, sections? \d/;
const comments = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*/g;
const cited = /\brules: ([A-Z][^.():`]*)/g;

/** A citation may go on in a comment's next line. */
const inOneLine = (comment) => comment.replace(/\n\s*(\*|\/\/) ?/g, " ");

/** One line for each citation that leads nowhere. */
export function checkCitations(paths) {
  const headings = [...readFileSync("docs/rules.md", "utf8").matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  return paths.flatMap((path) => {
    const text = (readFileSync(path, "utf8").match(comments) ?? []).map(inOneLine).join("\n");
    const found = [...text.matchAll(cited)].flatMap(([, names]) => names.split(";").map((name) => name.trim()));
    const unknown = found.filter(
      (name) => /^[A-Z]/.test(name) && !headings.some((heading) => name.startsWith(heading)),
    );
    const foreign = elsewhere.test(text) ? [`${path}: cites a document that is not in the repository`] : [];
    return [...foreign, ...unknown.map((name) => `${path}: docs/rules.md has no rule "${name}"`)];
  });
}

const link = /\]\(([^)#\s:]+)(?:#[^)]*)?\)/g;

/** One line for each link of a document that leads to no file. */
export function checkLinks(documents) {
  return documents.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(link)]
      .map(([, target]) => target)
      .filter((target) => !existsSync(join(dirname(path), target)))
      .map((target) => `${path}: links to ${target}, which is not there`),
  );
}
