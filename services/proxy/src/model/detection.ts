/** How the proxy knows traffic of pods on this node from other traffic, in one address family. */
export type Detection =
  /** It does not: nothing is masqueraded because it comes from elsewhere, no pod is let through to all endpoints. */
  | { readonly by: "nothing" }
  | { readonly by: "source"; readonly network: string }
  | { readonly by: "interface"; readonly name: string; readonly isPrefix: boolean };
