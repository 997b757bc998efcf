// Copies packages with what they need, and of that only what runs.
import { existsSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** Sources of machine code, other forms of the same code, what people read. */
const leftOut = new Set(["dependencies", "src", "node_modules", "test", "tests", "benchmark", "build"]);
const leftOutEnd = /\.(?:map|md|ts|cts|mts|gyp|cc|c|h|cpp)$/;

/** `from` is a folder of packages (`node_modules`), `to` another. Gives the names of what was copied. */
export async function copyPackages(names, { from, to }) {
  const copied = new Set();
  const copy = async (name) => {
    const folder = join(from, name);
    // Machine code of other platforms is not installed.
    if (copied.has(name) || !existsSync(folder)) return;
    copied.add(name);
    const filter = (path) => path === folder || !(leftOut.has(basename(path)) || leftOutEnd.test(path));
    await cp(folder, join(to, name), { recursive: true, filter });
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      await readFile(join(folder, "package.json"), "utf8"),
    );
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) await copy(needed);
  };
  for (const name of names) await copy(name);
  return copied;
}
