import type { Naming } from "@orch/naming/naming.js";

/** Versions that files were once in, with the last release of the bootstrapper that could write them anew. */
const lastReaders: Readonly<Record<string, string>> = {
  v1alpha1: "v1.11",
  v1alpha2: "v1.12",
  v1alpha3: "v1.14",
  v1beta1: "v1.15",
};

/** The version that this program's own `config migrate` writes anew. */
const migrated = "v1beta2";

/** What is said of a file in an old version: by which program it becomes one of today. Undefined for a version that never was. */
export function oldVersionText(naming: Naming, kind: string): (apiVersion: string) => string | undefined {
  const program = naming.configurationWord("orchadm");
  const group = naming.configurationGroup("orchadm");
  return (apiVersion) => {
    const [, version = ""] = apiVersion.split(`${group}/`);
    if (version === migrated) {
      return `your configuration file uses a deprecated API spec: ${JSON.stringify(apiVersion)} (kind: ${JSON.stringify(kind)}). Please use '${program} config migrate --old-config old.yaml --new-config new.yaml', which will write the new, similar spec using a newer API version.`;
    }
    const release = Object.hasOwn(lastReaders, version) ? lastReaders[version] : undefined;
    if (release === undefined) return undefined;
    return `your configuration file uses an old API spec: ${JSON.stringify(apiVersion)} (kind: ${JSON.stringify(kind)}). Please use ${program} ${release} instead and run '${program} config migrate --old-config old.yaml --new-config new.yaml', which will write the new, similar spec using a newer API version.`;
  };
}
