import { printYaml } from "@orch/codec/yaml/yaml.js";
import { command } from "../command-line.js";
import { buildVersion, versionFlags } from "./flags.js";

export const versionCommand = command({
  word: "version",
  description: "Prints the version of this program",
  flags: versionFlags,
  async run({ values }, { naming, print }) {
    const build = buildVersion();
    const shown = { clientVersion: build };
    switch (values.output) {
      case "short":
        print(`${build.gitVersion}\n`);
        break;
      case "json":
        print(`${JSON.stringify(shown, undefined, 2)}\n`);
        break;
      case "yaml":
        print(printYaml(shown));
        break;
      case "text":
        print(
          `${naming.configurationWord("orchadm")} version: ${build.gitVersion} (API ${build.major}.${build.minor}, ${build.platform})\n`,
        );
    }
    return 0;
  },
});
