import { test } from "node:test";
import { startServer } from "./command-line-program.js";
import { play } from "./reference-player.js";
import { readSections } from "./reference-rows.js";

for (const file of ["custom-resources.json", "definitions.json"]) {
  test(`every request of ${file} is answered as the reference answers it`, async (t) => {
    // Without the subresources of objects' past, which the reference does not have.
    const args = ["--disable-admission-plugins=ServiceAccount", "--object-history=off"];
    const server = await startServer(t, { args });
    const kept = new Map<string, string>();
    for (const section of readSections(file)) {
      await t.test(section.title, async (inSection) => {
        for (const row of section.rows) await inSection.test(row.title, () => play({ server, kept }, row));
      });
    }
  });
}
