/** A DNS label (RFC 1123) as a regular expression has it. libs/schema knows more of names and is out of reach here. */
export const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

const whole = new RegExp(`^${dnsLabel}$`);

export const isDnsLabel = (text: string): boolean => whole.test(text);

/** What is wrong with a DNS label, in the reference's words. */
export function labelProblems(text: string): readonly string[] {
  const rule = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${dnsLabel}')`;
  return [...(text.length > 63 ? ["must be no more than 63 characters"] : []), ...(isDnsLabel(text) ? [] : [rule])];
}
