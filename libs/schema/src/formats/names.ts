/**
 * Names of the interface: each function gives the list of what is wrong with a text, empty when it is
 * well formed. The sentences are the reference's: clients and people search for them.
 */
export type Problems = readonly string[];
const none: Problems = [];

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const namePart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const configKeyText = "[-._a-zA-Z0-9]+";
const headerText = "[-A-Za-z0-9]+";

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const labelPattern = whole(label);
const label1035Pattern = whole(label1035);
// Equivalent to the published pattern without its nested repetition, which can backtrack for long.
const subdomainLabels = (text: string): boolean => text.split(".").every((part) => labelPattern.test(part));
const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const configKeyPattern = whole(configKeyText);
const headerPattern = whole(headerText);

function explained(rule: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${pattern}')`;
  const shown = examples.map((e) => `'${e}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const tooLong = (max: number): string => `must be no more than ${max} characters`;
const empty = "must be non-empty";

const labelRule = explained(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  "my-name",
  "123-abc",
);
const subdomainRule = explained(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  "example.com",
);
const wildcardRule = explained(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomain}`,
  "*.example.com",
);
const label1035Rule = explained(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  "my-name",
  "abc-123",
);
const namePartRule = explained(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  namePart,
  "MyName",
  "my.name",
  "123-abc",
);
const labelValueRule = explained(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${namePart})?`,
  "MyValue",
  "my_value",
  "12345",
);
const configKeyRule = explained(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKeyText,
  "key.name",
  "KEY_NAME",
  "key-name",
);

const percentText = "[0-9]+%";
const percentRule = explained(
  "a valid percent string must be a numeric string followed by an ending '%'",
  percentText,
  "1%",
  "93%",
);
const conditionReasonText = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const conditionReasonRule = explained(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  conditionReasonText,
  "my_name",
  "MY_NAME",
  "MyName",
  "ReasonA,ReasonB",
  "ReasonA:ReasonB",
);
const cIdentifierText = "[A-Za-z_][A-Za-z0-9_]*";
const cIdentifierRule = explained(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  cIdentifierText,
  "my_name",
  "MY_NAME",
  "MyName",
);
const percentPattern = whole(percentText);
const conditionReasonPattern = whole(conditionReasonText);
const cIdentifierPattern = whole(cIdentifierText);

function within(text: string, max: number, good: boolean, rule: string): Problems {
  if (good && text.length <= max) return none;
  return [...(text.length > max ? [tooLong(max)] : []), ...(good ? [] : [rule])];
}

export function dnsLabel(text: string): Problems {
  const good = labelPattern.test(text);
  // A domain is no label for its dots alone.
  return within(text, 63, good, !good && subdomainLabels(text) ? "must not contain dots" : labelRule);
}

export function dns1035Label(text: string): Problems {
  return within(text, 63, label1035Pattern.test(text), label1035Rule);
}

export function dnsSubdomain(text: string): Problems {
  return within(text, 253, subdomainLabels(text), subdomainRule);
}

/** A domain with a dot in it: `example.com`. */
export function fullyQualifiedDomain(text: string): Problems {
  if (text === "") return ["must be non-empty"];
  const problems = dnsSubdomain(text.endsWith(".") ? text.slice(0, -1) : text);
  if (problems.length > 0) return problems;
  return text.split(".").length < 2 ? ["should be a domain with at least two segments separated by dots"] : none;
}

/** `*.example.com`: one label is free. */
export function wildcardSubdomain(text: string): Problems {
  return within(text, 253, text.startsWith("*.") && subdomainLabels(text.slice(2)), wildcardRule);
}

/** `example.com/path`: a domain, and what may stand in a URL's path. */
export function domainPrefixedPath(text: string): Problems {
  const slash = text.indexOf("/");
  const path = text.slice(slash + 1);
  if (slash < 1 || path === "") return ['must be a domain-prefixed path (such as "acme.io/foo")'];
  const pathText = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
  return [
    ...dnsSubdomain(text.slice(0, slash)),
    ...(whole(pathText).test(path) ? [] : [explained("Invalid path", pathText)]),
  ];
}

/** `name` or `prefix/name`. */
export function qualifiedName(text: string): Problems {
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      `a qualified name ${namePartRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? prefixProblems(parts[0] ?? "") : none;
  if (prefix.length === 0 && name.length <= 63 && namePattern.test(name)) return none;
  return [
    ...prefix,
    ...(name === "" ? [`name part ${empty}`] : name.length > 63 ? [`name part ${tooLong(63)}`] : []),
    ...(namePattern.test(name) ? [] : [`name part ${namePartRule}`]),
  ];
}

function prefixProblems(prefix: string): Problems {
  return prefix === "" ? [`prefix part ${empty}`] : dnsSubdomain(prefix).map((p) => `prefix part ${p}`);
}

export function labelValue(text: string): Problems {
  return within(text, 63, text === "" || namePattern.test(text), labelValueRule);
}

/** `25%`; more than all is the caller's rule. */
export function percent(text: string): Problems {
  return percentPattern.test(text) ? none : [percentRule];
}

/** The reason of a condition: a word in CamelCase. */
export function conditionReason(text: string): Problems {
  return conditionReasonPattern.test(text) ? none : [conditionReasonRule];
}

export function cIdentifier(text: string): Problems {
  return cIdentifierPattern.test(text) ? none : [cIdentifierRule];
}

/** What may stand in a path as one segment. */
export function pathSegment(text: string): Problems {
  if (text === "." || text === "..") return [`may not be '${text}'`];
  const problems = ["/", "%"].filter((c) => text.includes(c)).map((c) => `may not contain '${c}'`);
  // No path leads to such a name, and in keys of the store NUL ends one.
  return text.includes("\0") ? [...problems, "may not contain '\\x00'"] : problems;
}

export function portNumber(value: number): Problems {
  return value >= 1 && value <= 65535 ? none : ["must be between 1 and 65535, inclusive"];
}

export function portName(text: string): Problems {
  const problems: string[] = [];
  if (text.length > 15) problems.push(tooLong(15));
  if (!/^[-a-z0-9]+$/.test(text))
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(text)) problems.push("must contain at least one letter (a-z)");
  if (text.includes("--")) problems.push("must not contain consecutive hyphens");
  if (text.startsWith("-") || text.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

/** A key of a ConfigMap's or Secret's data: it becomes a file name. */
export function configKey(text: string): Problems {
  const problems = [...within(text, 253, configKeyPattern.test(text), configKeyRule)];
  if (text === "." || text === "..") problems.push(`must not be '${text}'`);
  else if (text.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function envName(text: string): Problems {
  if (text === "") return [`environment variable name ${empty}`];
  const rule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[ -<>-~]+$/.test(text) ? none : [rule];
}

export function httpHeaderName(text: string): Problems {
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return headerPattern.test(text) ? none : [explained(rule, headerText, "X-Header-Name")];
}

export function absolutePath(text: string): Problems {
  return text.startsWith("/") ? none : ["must be an absolute path"];
}

export function noBacksteps(text: string): Problems {
  return text.split("/").includes("..") ? ["must not contain '..'"] : none;
}

/** A path below a mounted folder. */
export function relativePath(text: string): Problems {
  const problems = [...(text.startsWith("/") ? ["must be a relative path"] : []), ...noBacksteps(text)];
  if (text.startsWith("..") && !text.startsWith("../")) problems.push("must not start with '..'");
  return problems;
}

export function fileMode(value: number): Problems {
  return value >= 0 && value <= 0o777 ? none : ["must be a number between 0 and 0777 (octal), both inclusive"];
}

/**
 * A name prefix is checked as the name it begins: a dash at its end is fine.
 *
 *     web- → checked as we + a
 */
export function asPrefix(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}
