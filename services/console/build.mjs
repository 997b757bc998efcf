// Builds the pages into dist/site, each file with what gzip and brotli make of it: servers send bytes, they compress nothing.
// node services/console/build.mjs
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const here = fileURLToPath(new URL("./", import.meta.url));
const output = join(here, "dist", "site");

await build({
  root: join(here, "src", "web"),
  configFile: false,
  logLevel: "warn",
  // Wherever a proxy puts the console, its files are beside the page.
  base: "./",
  build: {
    outDir: output,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Styles and pictures stay files: the policy of the page allows nothing inside of it.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});

for (const entry of await readdir(output, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || ![".html", ".js", ".css", ".svg"].includes(extname(entry.name))) continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = await readFile(path);
  await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  await writeFile(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  );
}
