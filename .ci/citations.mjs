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

const link = /\]\(([^)#\s:]*)(?:#([^)\s]*))?\)/g;

/** Where a heading is found, as GitHub makes it of its text; the second of one name has `-1` behind it. */
function anchorsOf(path) {
  const times = new Map();
  return [...withoutCode(readFileSync(path, "utf8")).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

/** A line of a program that begins with # is no heading, and what stands between brackets there no link. */
const withoutCode = (text) => text.replace(/^( *)```[\s\S]*?^ *```/gm, "");

/** One line for each link of a document that leads to no file, or to no heading of a document. */
export function checkLinks(documents) {
  return documents.flatMap((path) =>
    [...withoutCode(readFileSync(path, "utf8")).matchAll(link)].flatMap(([, target, anchor]) => {
      const file = target === "" ? path : join(dirname(path), target);
      if (!existsSync(file)) return [`${path}: links to ${target}, which is not there`];
      const isThere = anchor === undefined || !file.endsWith(".md") || anchorsOf(file).includes(anchor);
      return isThere ? [] : [`${path}: links to ${target}#${anchor}, and there is no such heading`];
    }),
  );
}
