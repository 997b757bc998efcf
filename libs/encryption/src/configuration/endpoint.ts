export type SocketPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly problem: string };

/** `unix:///run/kms.sock` → `/run/kms.sock`; `unix:///@name` → a name in the abstract space of Linux, with its zero. */
export function socketPathOf(endpoint: string): SocketPath {
  const colon = endpoint.indexOf(":");
  const scheme = colon < 0 ? "" : endpoint.slice(0, colon).toLowerCase();
  if (scheme !== "unix") {
    const problem = `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`;
    return { ok: false, problem };
  }
  const rest = endpoint.slice(colon + 1);
  const path = decoded(rest.startsWith("//") ? rest.slice(2) : rest);
  if (path === undefined) {
    const problem = `invalid endpoint for kms provider, error: parse ${JSON.stringify(endpoint)}: invalid URL escape`;
    return { ok: false, problem };
  }
  return { ok: true, path: path.startsWith("/@") ? `\0${path.slice(2)}` : path };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
