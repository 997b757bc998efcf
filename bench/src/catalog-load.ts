import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";

/** Run alone: what loading the catalog costs a process, and what compiling every type then adds. */
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const heap = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const before = heap();
const began = performance.now();
const catalog = loadCatalog(createNaming("orch"), { runtimeConfig: ["api/all"] });
const took = performance.now() - began;
const loaded = heap();
let fields = 0;
for (const { name, versions } of catalog.groups()) {
  for (const version of versions) for (const kind of catalog.kindsOf(name, version)) fields += kind.type.byName.size;
}
process.stdout.write(
  `catalog: ${took.toFixed(0)} ms to load, ${mb(loaded - before)} of heap, ` +
    `${mb(heap() - before)} once every served kind (${fields} top fields) was asked for\n`,
);
