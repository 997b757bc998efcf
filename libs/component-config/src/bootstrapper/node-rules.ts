import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { nanoseconds, unless, within } from "../rules.js";
import { hostAndPort, isAddress, isPort, isUnspecified } from "../rules-of-addresses.js";
import type {
  BootstrapToken,
  Discovery,
  InitConfiguration,
  JoinConfiguration,
  NodeRegistration,
  ResetConfiguration,
  UpgradeConfiguration,
} from "./bootstrapper-shapes.js";

/** What is shown of a secret. */
const hidden = "REDACTED";

export const checkInit = (value: InitConfiguration): readonly FieldError[] => [
  ...checkRegistration(value.nodeRegistration),
  ...value.bootstrapTokens.flatMap((token, i) => checkToken(token, `bootstrapTokens[${i}]`)),
  ...checkEndpoint(value.localAPIEndpoint, "localAPIEndpoint"),
  ...checkCertificateKey(value.certificateKey, "certificateKey"),
  ...(value.patches === undefined ? [] : absolute("patches.directory", value.patches.directory)),
];

export interface JoinRules {
  readonly exists: (path: string) => boolean;
  /** `orchadm`, in the dialect. */
  readonly program: string;
}

export const checkJoin = (value: JoinConfiguration, rules: JoinRules): readonly FieldError[] => [
  ...checkDiscovery(value.discovery, rules),
  ...checkRegistration(value.nodeRegistration),
  ...(value.controlPlane === undefined
    ? []
    : [
        ...checkEndpoint(value.controlPlane.localAPIEndpoint, "controlPlane.localAPIEndpoint"),
        ...checkCertificateKey(value.controlPlane.certificateKey, "controlPlane.certificateKey"),
      ]),
  ...unless(value.caCertPath.startsWith("/") && value.caCertPath.endsWith(".crt"), () =>
    fieldError.invalid("caCertPath", value.caCertPath, "the ca certificate path must be an absolute path"),
  ),
  ...(value.patches === undefined ? [] : absolute("patches.directory", value.patches.directory)),
];

export const checkReset = (value: ResetConfiguration): readonly FieldError[] => [
  ...checkSocket(value.criSocket, "criSocket"),
  ...absolute("certificatesDir", value.certificatesDir),
  ...checkIgnored(value.ignorePreflightErrors, "ignorePreflightErrors"),
];

export const checkUpgrade = ({ apply, node, plan }: UpgradeConfiguration): readonly FieldError[] => [
  ...checkIgnored(apply.ignorePreflightErrors, "apply.ignorePreflightErrors"),
  ...checkPullPolicy(apply.imagePullPolicy, "apply.imagePullPolicy"),
  ...checkIgnored(node.ignorePreflightErrors, "node.ignorePreflightErrors"),
  ...checkPullPolicy(node.imagePullPolicy, "node.imagePullPolicy"),
  ...checkIgnored(plan.ignorePreflightErrors, "plan.ignorePreflightErrors"),
];

export const absolute = (field: string, path: string): readonly FieldError[] =>
  unless(path.startsWith("/"), () => fieldError.invalid(field, path, "path is not absolute"));

function checkRegistration(value: NodeRegistration): readonly FieldError[] {
  const { name, criSocket, agentExtraArgs, taints = [] } = value;
  const at = "nodeRegistration";
  return [
    ...unless(name !== "", () =>
      fieldError.required(
        at,
        "--node-name or .nodeRegistration.name in the config file is a required value. It seems like this value couldn't be automatically detected in your environment, please specify the desired value using the CLI or config file.",
      ),
    ),
    ...dnsSubdomain(name || "x").map((problem) => fieldError.invalid(`${at}.name`, name, problem)),
    ...checkSocket(criSocket, `${at}.criSocket`),
    ...agentExtraArgs.flatMap((argument, i) => checkArgument(argument, `${at}.agentExtraArgs[${i}]`)),
    ...taints.flatMap(({ key = "", effect = "" }, i) => [
      ...unless(key !== "", () => fieldError.required(`${at}.taints[${i}].key`)),
      ...unless(effect !== "", () => fieldError.required(`${at}.taints[${i}].effect`)),
    ]),
    ...checkIgnored(value.ignorePreflightErrors, `${at}.ignorePreflightErrors`),
    ...checkPullPolicy(value.imagePullPolicy, `${at}.imagePullPolicy`),
  ];
}

export const checkArgument = ({ name }: { readonly name: string }, at: string): readonly FieldError[] =>
  unless(name !== "", () => fieldError.invalid(at, name, "argument has no name"));

/** None where no container runs; else a Unix domain socket. */
function checkSocket(socket: string, field: string): readonly FieldError[] {
  const colon = socket.indexOf(":");
  const scheme = colon < 0 ? "" : socket.slice(0, colon);
  return unless(socket === "" || scheme === "unix", () =>
    fieldError.invalid(field, socket, `only URL scheme "unix" is supported, got ${JSON.stringify(scheme)}`),
  );
}

function checkIgnored(checks: readonly string[], field: string): readonly FieldError[] {
  const names = new Set(checks.map((name) => name.toLowerCase()));
  return unless(!names.has("all") || names.size === 1, () =>
    fieldError.invalid(field, checks.join(","), "don't specify individual checks if 'all' is used"),
  );
}

const checkPullPolicy = (policy: string, field: string): readonly FieldError[] =>
  unless(["Always", "IfNotPresent", "Never"].includes(policy), () =>
    fieldError.invalid(field, policy, "invalid pull policy"),
  );

interface Endpoint {
  readonly advertiseAddress: string;
  readonly bindPort: number;
}

const checkEndpoint = ({ advertiseAddress, bindPort }: Endpoint, at: string): readonly FieldError[] => [
  ...unless(isAddress(advertiseAddress), () =>
    fieldError.invalid(`${at}.advertiseAddress`, advertiseAddress, "ip address is not valid"),
  ),
  // Others are told of it: they cannot reach every address of a machine.
  ...unless(!isUnspecified(advertiseAddress), () =>
    fieldError.invalid(
      `${at}.advertiseAddress`,
      advertiseAddress,
      `cannot use ${JSON.stringify(advertiseAddress)} as the bind address for the API Server`,
    ),
  ),
  ...within(`${at}.bindPort`, bindPort, { min: 1, max: 65_535, says: "port number is not valid" }),
];

const keyBytes = 32;

function checkCertificateKey(key: string, field: string): readonly FieldError[] {
  if (key === "") return [];
  const bytes = Buffer.from(key, "hex");
  if (bytes.length * 2 !== key.length) {
    return [fieldError.invalid(field, hidden, "certificate key decoding error: it is not hexadecimal")];
  }
  const says = `invalid certificate key size ${bytes.length}, the key must be an AES key of size ${keyBytes}`;
  return unless(bytes.length === keyBytes, () => fieldError.invalid(field, hidden, says));
}

const isToken = (text: string): boolean => /^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text);

const checkSecret = (token: string, field: string): readonly FieldError[] =>
  unless(isToken(token), () => fieldError.invalid(field, hidden, "the bootstrap token is invalid"));

const knownUsages = ["signing", "authentication"];
const groupPattern = "\\Asystem:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]\\z";

function checkToken({ token, ttl, expires, usages, groups }: BootstrapToken, at: string): readonly FieldError[] {
  const unknown = usages.filter((usage) => !knownUsages.includes(usage));
  return [
    ...checkSecret(token, `${at}.token`),
    ...unless(unknown.length === 0, () =>
      fieldError.invalid(
        `${at}.usages`,
        usages,
        `invalid bootstrap token usage string: ${unknown.join(",")}, valid usage options: ${knownUsages.join(",")}`,
      ),
    ),
    ...unless(usages.includes("authentication") || groups.length === 0, () =>
      fieldError.invalid(
        `${at}.groups`,
        groups,
        'token groups cannot be specified unless --usages includes "authentication"',
      ),
    ),
    ...groups.flatMap((group) =>
      unless(/^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group), () =>
        fieldError.invalid(
          `${at}.groups`,
          groups,
          `bootstrap group ${JSON.stringify(group)} is invalid (must match ${groupPattern})`,
        ),
      ),
    ),
    ...unless(ttl === undefined || nanoseconds(ttl) >= 0n, () =>
      fieldError.invalid(`${at}.ttl`, ttl, "must not be negative"),
    ),
    ...unless(ttl === undefined || expires === undefined, () =>
      fieldError.invalid(at, "", "the BootstrapToken .TTL and .Expires fields are mutually exclusive"),
    ),
  ];
}

function checkDiscovery(value: Discovery, rules: JoinRules): readonly FieldError[] {
  const { bootstrapToken: token, file, tlsBootstrapToken } = value;
  const one =
    token === undefined && file === undefined
      ? "bootstrapToken or file must be set"
      : token !== undefined && file !== undefined
        ? "bootstrapToken and file cannot both be set"
        : undefined;
  return [
    ...(one === undefined ? [] : [fieldError.invalid("discovery", "", one)]),
    ...(token === undefined ? [] : checkTokenDiscovery(token, "discovery.bootstrapToken", rules)),
    ...(file === undefined ? [] : checkFileDiscovery(file.orchConfigPath, rules)),
    ...(tlsBootstrapToken === "" || tlsBootstrapToken === token?.token
      ? []
      : checkSecret(tlsBootstrapToken, "discovery.tlsBootstrapToken")),
  ];
}

function checkTokenDiscovery(
  token: NonNullable<Discovery["bootstrapToken"]>,
  at: string,
  { program }: JoinRules,
): readonly FieldError[] {
  const { apiServerEndpoint, caCertHashes, unsafeSkipCAVerification } = token;
  return [
    ...checkSecret(token.token, `${at}.token`),
    ...unless(apiServerEndpoint !== "", () =>
      fieldError.required(`${at}.apiServerEndpoint`, "APIServerEndpoint is not set"),
    ),
    ...unless(apiServerEndpoint === "" || isEndpoint(apiServerEndpoint), () =>
      fieldError.invalid(`${at}.apiServerEndpoint`, apiServerEndpoint, "endpoint is not valid"),
    ),
    ...unless(caCertHashes.length > 0 || unsafeSkipCAVerification, () =>
      fieldError.invalid(
        `${at}.caCertHashes`,
        "",
        `using token-based discovery without caCertHashes can be unsafe. Set unsafeSkipCAVerification as true in your ${program} config file or pass --discovery-token-unsafe-skip-ca-verification flag to continue`,
      ),
    ),
  ];
}

/** An address or a name, with a port or without. */
export function isEndpoint(text: string): boolean {
  const isHost = (host: string): boolean => isAddress(host) || dnsSubdomain(host).length === 0;
  if (isHost(text)) return true;
  const parts = hostAndPort(text);
  return parts !== undefined && isHost(parts.host) && isPort(parts.port);
}

function checkFileDiscovery(path: string, { exists }: JoinRules): readonly FieldError[] {
  const field = "discovery.file.orchConfigPath";
  if (path !== "" && exists(path)) return [];
  const url = URL.parse(path);
  if (url === null) return [fieldError.invalid(field, path, "not a valid HTTPS URL or a file on disk")];
  return unless(url.protocol === "https:", () =>
    fieldError.invalid(field, path, "if a URL is used, the scheme must be https"),
  );
}
