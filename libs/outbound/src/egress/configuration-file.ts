import { readDocument, strictProblem, unknownKind } from "@orch/codec/configuration-document.js";
import { checkNames, inner, objects, type Place, text } from "@orch/codec/configuration-fields.js";
import type { Naming } from "@orch/naming/naming.js";
import {
  checkSelections,
  type EgressConfiguration,
  type SelectionDraft,
  type TlsDraft,
  type TransportDraft,
} from "./configuration.js";

export interface FileDeps {
  readonly naming: Naming;
  /** Whether there is a file at a path. */
  readonly exists: (path: string) => boolean;
}

export type ParsedFile =
  | { readonly ok: true; readonly configuration: EgressConfiguration }
  /** A sentence for the person who starts the program. */
  | { readonly ok: false; readonly problem: string };

const kind = "EgressSelectorConfiguration";
/** The specification lists the kind in the group of the other configuration files, too. */
const versions = [
  ["apiserver", "v1beta1"],
  ["apiserver", "v1alpha1"],
  ["apiserver.config", "v1alpha1"],
] as const;

/** Reads the file of `--egress-selector-config-file`, YAML or JSON. */
export function parseEgressFile(file: string, deps: FileDeps): ParsedFile {
  const refuse = (problem: string): ParsedFile => ({ ok: false, problem });
  const unread = (problem: string): ParsedFile => refuse(`failed to read egress selector config: ${problem}`);
  const read = readDocument(file);
  if (!read.ok) return unread(read.problem);
  const { fields, apiVersion, kind: given } = read.document;
  const known = versions.map(([group, version]) => `${deps.naming.group(group)}/${version}`);
  if (given !== kind || !known.includes(apiVersion)) return unread(unknownKind(read.document));
  const problems = [...read.document.problems];
  const drafts = readSelections({ fields, path: "", problems });
  if (problems.length > 0) return unread(strictProblem(problems));
  const checked = checkSelections(drafts, deps.exists);
  if (checked.ok) return checked;
  const errors = checked.errors.map(({ field, message }) => `${field}: ${message}`);
  const all = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
  return refuse(`failed to validate egress selector configuration: ${all}`);
}

function readSelections(root: Place): readonly SelectionDraft[] {
  checkNames(root, ["apiVersion", "kind", "egressSelections"]);
  return objects(root, "egressSelections").map(readSelection);
}

function readSelection(selection: Place): SelectionDraft {
  checkNames(selection, ["name", "connection"]);
  const connection = inner(selection, "connection", ["proxyProtocol", "transport"]);
  const transport = connection && inner(connection, "transport", ["tcp", "uds"]);
  return {
    name: text(selection, "name"),
    protocol: connection === undefined ? "" : text(connection, "proxyProtocol"),
    transport: transport && readTransport(transport),
  };
}

function readTransport(transport: Place): TransportDraft {
  const tcp = inner(transport, "tcp", ["url", "tlsConfig"]);
  const uds = inner(transport, "uds", ["udsName"]);
  const tls = tcp && inner(tcp, "tlsConfig", ["caBundle", "clientKey", "clientCert"]);
  return {
    tcp: tcp && { url: text(tcp, "url"), tls: tls && readTls(tls) },
    uds: uds && { name: text(uds, "udsName") },
  };
}

const readTls = (tls: Place): TlsDraft => ({
  caBundle: text(tls, "caBundle"),
  clientKey: text(tls, "clientKey"),
  clientCert: text(tls, "clientCert"),
});
