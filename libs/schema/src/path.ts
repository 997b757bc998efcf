/** Where a value stands: `spec.ports[0].port`, `data[tls.crt]`. Its text is made only for an error. */
export interface Path {
  readonly up: Path | undefined;
  /** A field's name, a list position, or a map's key in brackets. */
  readonly step: string | number;
}

export function pathText(path: Path): string {
  const up = path.up === undefined ? "" : pathText(path.up);
  if (typeof path.step === "number") return `${up}[${path.step}]`;
  return up === "" || path.step.startsWith("[") ? up + path.step : `${up}.${path.step}`;
}
