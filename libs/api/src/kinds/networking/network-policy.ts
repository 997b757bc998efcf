import { cidr, parseNetwork, strictlyContains } from "@orch/schema/formats/ip.js";
import { portName, portNumber } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { validateLabelSelector } from "../shared/label-selector.js";
import { invalidFor } from "../shared/problems.js";
import { requiredText } from "../shared/required-text.js";
import type { IpBlock, NetworkPolicy, PolicyPeer, PolicyPort, PolicySpec } from "./types.js";

/** Every version of it: it says nothing of egress, so it has a say only where it names rules for it. */
export const networkPolicyDefaults = behavior<NetworkPolicy>(() => ({ setDefaults }));

export const networkPolicy = behavior<NetworkPolicy>(() => ({
  setDefaults,
  validate: ({ spec = {} }) => validateSpec(spec),
}));

function setDefaults(object: NetworkPolicy): NetworkPolicy {
  const { spec = {} } = object;
  if ((spec.policyTypes ?? []).length > 0) return object;
  const policyTypes = ["Ingress", ...((spec.egress ?? []).length > 0 ? ["Egress"] : [])];
  return { ...object, spec: { ...spec, policyTypes } };
}

const types = ["Ingress", "Egress"];

function validateSpec(spec: PolicySpec): FieldError[] {
  const { ingress = [], egress = [], policyTypes = [] } = spec;
  return [
    ...validateLabelSelector(spec.podSelector, "spec.podSelector"),
    ...ingress.flatMap(({ ports, from }, i) =>
      validateRule({ ports, peers: from, at: `spec.ingress[${i}]`, name: "from" }),
    ),
    ...egress.flatMap(({ ports, to }, i) => validateRule({ ports, peers: to, at: `spec.egress[${i}]`, name: "to" })),
    ...(policyTypes.length > types.length
      ? [fieldError.invalid("spec.policyTypes", policyTypes, "may not specify more than two policyTypes")]
      : policyTypes.flatMap((type, i) =>
          types.includes(type) ? [] : [fieldError.notSupported(`spec.policyTypes[${i}]`, type, types)],
        )),
  ];
}

interface PolicyRule {
  readonly ports: readonly PolicyPort[] | undefined;
  readonly peers: readonly PolicyPeer[] | undefined;
  readonly at: string;
  /** Of the list of peers. */
  readonly name: string;
}

function validateRule({ ports = [], peers = [], at, name }: PolicyRule): FieldError[] {
  return [
    ...ports.flatMap((port, i) => validatePort(port, `${at}.ports[${i}]`)),
    ...peers.flatMap((peer, i) => validatePeer(peer, `${at}.${name}[${i}]`)),
  ];
}

function validatePort({ port, endPort }: PolicyPort, at: string): FieldError[] {
  const last = (detail: string) =>
    endPort === undefined ? [] : [fieldError.invalid(`${at}.endPort`, endPort, detail)];
  if (port === undefined) return last("may not be specified when `port` is not specified");
  if (typeof port === "string") {
    return [
      ...last("may not be specified when `port` is non-numeric"),
      ...invalidFor(`${at}.port`, port, portName(port)),
    ];
  }
  return [
    ...invalidFor(`${at}.port`, port, portNumber(port)),
    // The error shows the port that it is below.
    ...((endPort ?? port) < port
      ? [fieldError.invalid(`${at}.endPort`, port, "must be greater than or equal to `port`")]
      : []),
    ...(endPort === undefined ? [] : invalidFor(`${at}.endPort`, endPort, portNumber(endPort))),
  ];
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: PolicyPeer, at: string): FieldError[] {
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  return [
    ...validateLabelSelector(podSelector, `${at}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : validateBlock(ipBlock, `${at}.ipBlock`)),
    ...(selects || ipBlock !== undefined ? [] : [fieldError.required(at, "must specify a peer")]),
    ...(selects && ipBlock !== undefined
      ? [fieldError.forbidden(at, "may not specify both ipBlock and another peer")]
      : []),
  ];
}

function validateBlock({ cidr: block = "", except = [] }: IpBlock, at: string): FieldError[] {
  const outer = parseNetwork(block);
  if (outer === undefined) return requiredText(`${at}.cidr`, block, cidr);
  return except.flatMap((text, i) => {
    const inner = parseNetwork(text);
    if (inner === undefined) return invalidFor(`${at}.except[${i}]`, text, cidr(text));
    if (strictlyContains(outer, inner)) return [];
    return [fieldError.invalid(`${at}.except[${i}]`, text, "must be a strict subset of `cidr`")];
  });
}
