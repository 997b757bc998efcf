import { join } from "node:path";
import { buildGoProgram } from "./clients/go-program.js";
import { clientSuite, type Prepared } from "./clients/suite.js";

async function buildClient(folder: string): Promise<Prepared> {
  const program = join(folder, "client");
  const missing = await buildGoProgram({ module: "go", package: ".", to: program });
  return missing === undefined ? { command: [program] } : { missing };
}

clientSuite({ name: "client-go", prepare: buildClient, current: ["--cbor"] });
