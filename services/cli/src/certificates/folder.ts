import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere, writePrivateFile } from "@orch/service-standalone/pki/private-file.js";
import { bundleFiles } from "./bundles.js";
import type { Bundle, CertificatePlace } from "./place.js";

/** A folder for each bundle (mode 0700), a file for each of its texts (0600). */
export function certificateFolder(root: string): CertificatePlace {
  return {
    async read(name) {
      const found: [string, string][] = [];
      for (const file of bundleFiles) {
        const text = await readIfThere(join(root, name, file));
        if (text !== undefined) found.push([file, text]);
      }
      return found.length === 0 ? undefined : Object.fromEntries(found);
    },
    async write(name, bundle: Bundle) {
      const folder = join(root, name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
      // The certificate comes after its key: whoever reads between the two has a pair that does not fit, and looks again.
      for (const file of bundleFiles) {
        const text = bundle[file];
        if (text !== undefined) await writePrivateFile(join(folder, file), text);
      }
    },
  };
}
