// What images are made of.

/**
 * Each image `orch-<name>`: its program, further programs beside it, and where its flags stand, by which its health check
 * knows whom to ask.
 */
export const programs = [
  ...[
    ...["gateway", "resource", "watch-cache", "admission", "audit", "kms", "controller-manager"],
    ...["scheduler", "node-simulator"],
  ].map((name) => ({
    name,
    main: `services/${name}/dist/main.js`,
    commandLine: `services/${name}/dist/command-line.js`,
    workspace: `@orch/service-${name}`,
  })),
  // Every command: the image orch-cli, and orch-standalone, whose command is `serve`.
  {
    name: "cli",
    main: "services/cli/dist/main.js",
    also: {
      "orch-envtest": "services/cli/dist/envtest/main.js",
      orchadm: "services/cli/dist/orchadm/main.js",
      "kubectl-orch": "services/cli/dist/history/plugin/main.js",
    },
    commandLine: "services/standalone/dist/command-line.js",
    workspace: "@orch/service-cli",
  },
];

/** They load machine code from their own folders, and are copied as they are. */
export const nativePackages = ["lmdb"];
