import { dnsSubdomain, wildcardSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { shaped, unless } from "../rules.js";
import { isAddress, isDualStack, networksOf } from "../rules-of-addresses.js";
import type { ClusterConfiguration } from "./bootstrapper-shapes.js";
import { checkCertificates } from "./certificate-rules.js";
import { checkVersion } from "./cluster-version.js";
import { absolute, checkArgument, isEndpoint } from "./node-rules.js";

/** Of the bootstrapper itself at release 1.32. */
const gates: ReadonlySet<string> = new Set([
  ...["ControlPlaneKubeletLocalMode", "EtcdLearnerMode", "NodeLocalCRISocket", "PublicKeysECDSA"],
  ...["RootlessControlPlane", "WaitForAllControlPlaneComponents"],
]);

/** What is wrong with a whole configuration of a cluster. */
export function checkCluster(value: ClusterConfiguration): readonly FieldError[] {
  const { apiServer, controllerManager, scheduler, controlPlaneEndpoint: endpoint } = value;
  return [
    ...checkNetworking(value),
    ...apiServer.certSANs.flatMap((name, i) => checkAltName(name, `apiServer.certSANs[${i}]`)),
    ...Object.entries({ apiServer, controllerManager, scheduler }).flatMap(([part, { extraArgs }]) =>
      extraArgs.flatMap((argument, i) => checkArgument(argument, `${part}.extraArgs[${i}]`)),
    ),
    ...absolute("certificatesDir", value.certificatesDir),
    ...unless(endpoint === "" || isEndpoint(endpoint), () =>
      fieldError.invalid("controlPlaneEndpoint", endpoint, "endpoint is not valid"),
    ),
    ...checkEtcd(value.etcd),
    ...checkVersion(value.orchVersion, "orchVersion"),
    ...checkCertificates(value),
    ...Object.keys(value.featureGates)
      .filter((name) => !gates.has(name))
      .map((name) => fieldError.invalid("featureGates", value.featureGates, `${name} is not a valid feature name.`)),
    ...unless(isRepository(value.imageRepository), () =>
      fieldError.invalid("imageRepository", value.imageRepository, "invalid image repository format"),
    ),
  ];
}

function checkAltName(name: string, field: string): readonly FieldError[] {
  const plain = dnsSubdomain(name);
  const wild = wildcardSubdomain(name);
  if (isAddress(name) || plain.length === 0 || wild.length === 0) return [];
  const says = `altname is not a valid IP address, DNS label or a DNS label with subdomain wildcards: ${plain.join("; ")}; ${wild.join("; ")}`;
  return [fieldError.invalid(field, name, says)];
}

/** `registry.example.com:5000/a/b`, without a tag. */
const isRepository = (text: string): boolean =>
  text === "" ||
  text.split("/").every((part, i) => {
    const [name = "", port, ...rest] = part.split(":");
    const isName = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(name) && (i === 0 || name === name.toLowerCase());
    return isName && rest.length === 0 && (port === undefined || (i === 0 && /^\d{1,5}$/.test(port)));
  });

const leastServices = 10;
const leastPods = 14;
/** Bits of addresses that a range of services has at most. */
const mostServiceBits = 20;

function checkNetworking(value: ClusterConfiguration): readonly FieldError[] {
  const { serviceSubnet, podSubnet, dnsDomain } = value.networking;
  const allocates = argumentOf(value, "allocate-node-cidrs") !== "false";
  return [
    ...shaped("networking.dnsDomain", dnsDomain, dnsSubdomain(dnsDomain)),
    ...checkSubnets(serviceSubnet, "networking.serviceSubnet", leastServices),
    ...(networksOf(serviceSubnet) ?? []).flatMap(({ address, bits }) => {
      const width = address.length * 8;
      const says = `specified service subnet is too large; for ${width}-bit addresses, the mask must be >= ${width - mostServiceBits}`;
      return unless(bits >= width - mostServiceBits, () =>
        fieldError.invalid("networking.serviceSubnet", serviceSubnet, says),
      );
    }),
    ...(podSubnet === ""
      ? []
      : [
          ...checkSubnets(podSubnet, "networking.podSubnet", leastPods),
          ...(allocates ? checkNodeMasks(value, podSubnet) : []),
        ]),
  ];
}

/** Of a flag of the controller manager; the last one counts. */
const argumentOf = ({ controllerManager }: ClusterConfiguration, name: string): string | undefined =>
  controllerManager.extraArgs.findLast((argument) => argument.name === name)?.value;

function checkSubnets(text: string, field: string, least: number): readonly FieldError[] {
  const networks = networksOf(text);
  if (networks === undefined) return [fieldError.invalid(field, text, "couldn't parse subnet")];
  return [
    ...unless(networks.length === 1 || isDualStack(networks), () => {
      const says = "expected one (IPv4 or IPv6) CIDR or two CIDRs from each family for dual-stack networking";
      return fieldError.invalid(field, text, says);
    }),
    ...networks.flatMap(({ address, bits }) => {
      const count = 2 ** (address.length * 8 - bits);
      const says = `subnet with ${count} address(es) is too small, the minimum is ${least}`;
      return unless(count >= least, () => fieldError.invalid(field, text, says));
    }),
  ];
}

/** How much longer the mask of a node may be than that of all pods. */
const mostNodeBits = 16;

function checkNodeMasks(value: ClusterConfiguration, podSubnet: string): readonly FieldError[] {
  const maskOf = (isFourth: boolean): number =>
    Number(argumentOf(value, `node-cidr-mask-size-ipv${isFourth ? 4 : 6}`) ?? (isFourth ? 24 : 64));
  const field = "networking.podSubnet";
  return (networksOf(podSubnet) ?? []).flatMap(({ address, bits }) => {
    const mask = maskOf(address.length === 4);
    if (bits > mask) {
      const says = `the size of pod subnet with mask ${bits} is smaller than the size of node subnet with mask ${mask}`;
      return [fieldError.invalid(field, podSubnet, says)];
    }
    const says = `pod subnet mask (${bits}) and node-mask (${mask}) difference is greater than ${mostNodeBits}`;
    return unless(mask - bits <= mostNodeBits, () => fieldError.invalid(field, podSubnet, says));
  });
}

function checkEtcd({ local, external }: ClusterConfiguration["etcd"]): readonly FieldError[] {
  if (local === undefined && external === undefined) {
    return [fieldError.invalid("etcd", "", "either .Etcd.Local or .Etcd.External is required")];
  }
  return [
    ...unless(local === undefined || external === undefined, () =>
      fieldError.invalid("etcd", "", ".Etcd.Local and .Etcd.External are mutually exclusive"),
    ),
    ...(local === undefined
      ? []
      : [
          ...absolute("etcd.local.dataDir", local.dataDir),
          ...[...local.serverCertSANs.entries()].flatMap(([i, name]) =>
            checkAltName(name, `etcd.local.serverCertSANs[${i}]`),
          ),
          ...[...local.peerCertSANs.entries()].flatMap(([i, name]) =>
            checkAltName(name, `etcd.local.peerCertSANs[${i}]`),
          ),
          ...local.extraArgs.flatMap((argument, i) => checkArgument(argument, `etcd.local.extraArgs[${i}]`)),
        ]),
    ...(external === undefined ? [] : checkExternal(external, "etcd.external")),
  ];
}

function checkExternal(etcd: NonNullable<ClusterConfiguration["etcd"]["external"]>, at: string): readonly FieldError[] {
  const { endpoints, caFile, certFile, keyFile } = etcd;
  const isSecure = caFile !== "" || certFile !== "" || keyFile !== "";
  return [
    ...unless((certFile === "") === (keyFile === ""), () =>
      fieldError.invalid(
        at,
        "",
        "either both or none of .Etcd.External.CertFile and .Etcd.External.KeyFile must be set",
      ),
    ),
    ...unless(certFile === "" || keyFile === "" || caFile !== "", () =>
      fieldError.invalid(
        at,
        "",
        "setting .Etcd.External.CertFile and .Etcd.External.KeyFile requires .Etcd.External.CAFile",
      ),
    ),
    ...Object.entries({ caFile, certFile, keyFile }).flatMap(([name, path]) =>
      path === "" ? [] : absolute(`${at}.${name}`, path),
    ),
    ...unless(endpoints.length > 0, () => fieldError.required(`${at}.endpoints`)),
    ...endpoints.flatMap((endpoint, i) => {
      const url = URL.parse(endpoint);
      const field = `${at}.endpoints[${i}]`;
      if (url === null || url.host === "") return [fieldError.invalid(field, endpoint, "the URL is not valid")];
      return unless(!isSecure || url.protocol === "https:", () =>
        fieldError.invalid(field, endpoint, "the URL must be using the HTTPS scheme"),
      );
    }),
  ];
}
