import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startServer, temporaryFolder } from "./command-line-program.js";
import { play } from "./reference-player.js";
import { readSections } from "./reference-rows.js";

test("every request of the table is answered as the reference answers it", async (t) => {
  const tokens = join(await temporaryFolder(t), "tokens.csv");
  await writeFile(tokens, "bobs-token,bob,1\n");
  // What that plugin puts into a pod has random names, and is not in the table.
  // Without the subresources of objects' past, which the reference does not have.
  const server = await startServer(t, {
    args: [`--token-auth-file=${tokens}`, "--disable-admission-plugins=ServiceAccount", "--object-history=off"],
  });
  const kept = new Map<string, string>();
  for (const section of readSections("reference.json")) {
    await t.test(section.title, async (inSection) => {
      for (const row of section.rows) await inSection.test(row.title, () => play({ server, kept }, row));
    });
  }
});
