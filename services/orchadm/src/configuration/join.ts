import type { JoinConfiguration } from "@orch/component-config/bootstrapper/bootstrapper-shapes.js";
import type { JoinValues } from "../join/flags.js";
import type { Tools } from "../world.js";
import { componentKinds, kindsOf, readFileOf, refuseMixed } from "./read-file.js";

export interface JoinLine {
  readonly values: JoinValues;
  readonly given: ReadonlySet<string>;
  /** The endpoint. */
  readonly words: readonly string[];
}

/** What `join` goes by: a file, or flags, over defaults. @throws Error with what is wrong */
export function joinInput({ values, given, words }: JoinLine, tools: Tools): JoinConfiguration {
  refuseMixed(given);
  const { join: kind } = kindsOf(tools);
  if (words.length > 1) throw new Error(`join takes one endpoint, not ${words.length}`);
  let join: JoinConfiguration;
  if (values.config !== "") {
    const documents = readFileOf(values.config, [kind, ...Object.values(componentKinds(tools))], tools);
    const read = documents.map((document) => kind.from(document)).find((each) => each !== undefined);
    if (read === undefined)
      throw new Error(`no JoinConfiguration found in config file ${JSON.stringify(values.config)}`);
    const name = values["node-name"];
    join = name === "" ? read : kind.fill({ ...read, nodeRegistration: { ...read.nodeRegistration, name } });
  } else join = kind.fill(fieldsOf(values, words[0] ?? ""));
  const problems = kind.check(join);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return join;
}

function fieldsOf(values: JoinLine["values"], endpoint: string) {
  const file = values["discovery-file"];
  const token = values["discovery-token"] || values.token;
  const localAPIEndpoint = {
    advertiseAddress: values["apiserver-advertise-address"],
    bindPort: values["apiserver-bind-port"],
  };
  return {
    nodeRegistration: { name: values["node-name"], criSocket: values["cri-socket"] },
    discovery: {
      ...(file === ""
        ? {
            bootstrapToken: {
              ...{ token, apiServerEndpoint: endpoint },
              caCertHashes: values["discovery-token-ca-cert-hash"],
              unsafeSkipCAVerification: values["discovery-token-unsafe-skip-ca-verification"],
            },
          }
        : { file: { orchConfigPath: file } }),
      tlsBootstrapToken: values["tls-bootstrap-token"] || values.token,
    },
    ...(values["control-plane"]
      ? { controlPlane: { localAPIEndpoint, certificateKey: values["certificate-key"] } }
      : {}),
    ...(values.patches === "" ? {} : { patches: { directory: values.patches } }),
  };
}
