// Every regular expression of the product stands in regular-expressions.txt with the reason why no text can make it slow.
// A new one has to be looked at before its line is written: this server runs them on what anybody sends.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import ts from "typescript";

const list = new URL("regular-expressions.txt", import.meta.url);
const reasons = ["linear", "bounded", "own"];
const looked = /^(libs|services)\/(?!.*(\.test\.tsx?|\.bench\.ts|\.suite\.ts)$)(?!.*\/testing\/)/;

/** The expressions of a file as they are written, line breaks inside them apart. */
function expressionsIn(path) {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    const made = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
    if (ts.isRegularExpressionLiteral(node) || made) found.push(node.getText().replace(/\s*\n\s*/g, " "));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function listed() {
  const lines = readFileSync(list, "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** What is wrong with the list, as sentences. */
export function checkRegularExpressions(paths) {
  const wanted = new Map();
  for (const path of paths.filter((p) => looked.test(p))) {
    for (const expression of expressionsIn(path)) wanted.set(`${relative(".", path)}\t${expression}`, path);
  }
  const problems = wanted.size > 50 ? [] : ["no regular expressions were found"];
  const known = new Set();
  for (const line of listed()) {
    const [reason = "", path, expression] = line.split("\t");
    const entry = `${path}\t${expression}`;
    known.add(entry);
    if (!reasons.includes(reason))
      problems.push(`regular-expressions.txt: ${JSON.stringify(reason)} is no reason: ${entry}`);
    if (!wanted.has(entry)) problems.push(`regular-expressions.txt names what is gone: ${entry}`);
  }
  for (const [entry] of wanted) {
    if (!known.has(entry))
      problems.push(`a regular expression to look at and to list in regular-expressions.txt: ${entry}`);
  }
  return problems;
}
