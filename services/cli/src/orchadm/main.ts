#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { run } from "@orch/service-orchadm/run.js";
import { orchadmWorld } from "./world.js";

const orch = fileURLToPath(new URL("../main.js", import.meta.url));
process.exitCode = await run(process.argv.slice(2), orchadmWorld(process.env, orch));
