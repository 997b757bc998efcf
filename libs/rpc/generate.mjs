// proto/*.proto → generated/*.{js,d.ts}; a file younger than its source is left alone.
import { mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";

const pbjs = promisify(createRequire(import.meta.url)("protobufjs-cli/pbjs").main);
const here = new URL("./", import.meta.url).pathname;
const options = "-t static-module -w esm --es6 --dts --force-number";
const leaveOut = "--no-create --no-verify --no-convert --no-delimited --no-typeurl --no-service";

mkdirSync(`${here}generated`, { recursive: true });
for (const name of ["frames", "watch_cache", "resource", "admission", "kms", "audit", "feed"]) {
  const source = `${here}../../proto/${name}.proto`;
  const target = `${here}generated/${name}.js`;
  const made = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (made > Math.max(statSync(source).mtimeMs, statSync(import.meta.filename).mtimeMs)) continue;
  await pbjs([...`${options} ${leaveOut} -r orch-${name} -o`.split(" "), target, source]);
}
