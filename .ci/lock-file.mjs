// The lock file is for every machine: npm leaves out what the registry of the machine that writes it lacks, and npm ci
// refuses, elsewhere, a lock file without the packages of that platform.
import { readFileSync } from "node:fs";

/** What is wrong with package-lock.json, each a sentence. */
export function checkLockFile() {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const locked = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
  const optional = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  if (optional.length === 0) return ["package-lock.json: no package of a platform is in it"];
  return [
    ...optional
      .filter((name) => !locked.has(name))
      .map((name) => `package-lock.json: ${name} is missing; take versions of which every platform's is published`),
    ...Object.entries(packages)
      .filter(([, { resolved = "" }]) => resolved.includes("://"))
      .map(([path]) => `package-lock.json: ${path} names a host (.npmrc keeps it out)`),
  ];
}
