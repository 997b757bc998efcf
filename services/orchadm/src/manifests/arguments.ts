/** A flag of a component, without dashes. */
export interface Argument {
  readonly name: string;
  readonly value: string;
}

export const argumentsOf = (values: Readonly<Record<string, string | undefined>>): readonly Argument[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));

/** Those of a configuration take the place of ours of the same name; what they name besides comes behind. */
export function withExtra(ours: readonly Argument[], extra: readonly Argument[]): readonly Argument[] {
  const given = new Set(extra.map(({ name }) => name));
  return [...ours.filter(({ name }) => !given.has(name)), ...extra];
}

export const commandOf = (values: readonly Argument[]): readonly string[] =>
  values.map(({ name, value }) => `--${name}=${value}`);

/** Modes that a cluster of ours always has: nodes and RBAC decide first, whatever a configuration adds. */
const fixedModes = ["Node", "RBAC"];

/** A configuration may add who is asked, and takes nobody away. */
export function authorizationModes(extra: readonly Argument[]): readonly Argument[] {
  const wanted = extra.filter(({ name }) => name === "authorization-mode").flatMap(({ value }) => value.split(","));
  const added = wanted.map((mode) => mode.trim()).filter((mode) => mode !== "" && !fixedModes.includes(mode));
  return [{ name: "authorization-mode", value: [...fixedModes, ...new Set(added)].join(",") }];
}
