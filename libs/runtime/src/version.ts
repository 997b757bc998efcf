/** What `/version` and `--version` tell: the API release that is served, and this build. */
export const version = {
  major: "1",
  minor: "32",
  gitVersion: "v1.32.0+orch.0.1.0",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "",
  goVersion: "",
  compiler: "tsc",
  platform: "linux/amd64",
  /** For what depends on the release: metrics that hide, kinds that come and go. */
  release: "1.32",
} as const;
