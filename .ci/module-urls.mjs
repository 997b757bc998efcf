import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const moduleUrl = /new URL\(\s*"(\.[^"]+\.js)",\s*import\.meta\.url/g;

/** Programs and modules that a source names by its own place, which no compiler follows, and that are not there. */
export function checkModuleUrls(sources) {
  return sources.flatMap((path) => {
    // The path counts from the compiled module; what it names is compiled from a source of the same place.
    const folder = dirname(path.replace("/src/", "/dist/"));
    return [...readFileSync(path, "utf8").matchAll(moduleUrl)].flatMap(([, named]) => {
      const source = join(folder, named).replace("/dist/", "/src/").replace(/\.js$/, ".ts");
      return existsSync(source) ? [] : [`${path}: names ${named}, and there is no ${source}`];
    });
  });
}
