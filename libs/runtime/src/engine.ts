/** The major release of Node that the repository brings (`optionalDependencies` of package.json). */
const ownMajor = 26;

/** What is to be said of a Node that is older than the repository's own; undefined where it is not. */
export function engineWarning(nodeVersion: string): string | undefined {
  const major = Number(/^v(\d+)\./.exec(nodeVersion)?.[1]);
  if (major >= ownMajor) return undefined;
  return `running on the machine's Node ${nodeVersion}: orch is faster on Node ${ownMajor}, which make installs where npm has it`;
}
