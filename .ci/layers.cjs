// The layer rules, for dependency-cruiser; CONTRIBUTING.md tells them to people. A lib imports only what its row names;
// services import libs, never each other; standalone alone imports the services' create functions.
const libs = {
  naming: [],
  status: [],
  schema: ["naming", "status"],
  codec: ["naming", "status", "schema"],
  api: ["naming", "status", "schema"],
  render: ["naming", "status", "schema", "codec", "api"],
  patch: ["status", "schema"],
  store: ["status"],
  cache: [],
  rpc: ["status"],
  auth: ["naming", "status", "schema", "api"],
  client: ["naming", "status", "codec"],
  runtime: ["naming", "status", "schema"],
  pki: [],
  cel: ["naming", "schema"],
  access: ["naming", "status", "codec", "api", "auth", "client", "rpc", "store", "runtime"],
};

const libRules = Object.entries(libs).map(([lib, allowed]) => ({
  name: `lib-${lib}`,
  severity: "error",
  comment: `libs/${lib} may import ${allowed.length === 0 ? "no other lib" : allowed.join(", ")}`,
  from: { path: `^libs/${lib}/` },
  to: { path: "^(libs|services|deploy|e2e|bench)/", pathNot: `^libs/(${[lib, ...allowed].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...libRules,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "services-do-not-meet",
      severity: "error",
      comment: "services meet in proto/ or in the HTTP API; only standalone wires them together",
      from: { path: "^services/([^/]+)/", pathNot: "^services/standalone/" },
      to: { path: "^services/", pathNot: "^services/$1/" },
    },
    {
      name: "runtime-in-main-only",
      severity: "error",
      comment:
        "a process is put together in main.ts and its run.ts alone; health and metrics types are libs/runtime's public values",
      from: {
        path: "^services/",
        pathNot: "(/(main|run|command-line|settings)\\.ts$|flags\\.ts$|^services/standalone/|\\.test\\.ts$)",
      },
      to: {
        path: "^libs/runtime/",
        pathNot: "^libs/runtime/(src|dist)/(health|metrics|log|service|clock)(\\.d)?\\.ts$",
      },
    },
    {
      name: "product-code-does-not-import-tests",
      severity: "error",
      from: { path: "^(libs|services)/" },
      to: { path: "^(e2e|bench|deploy)/" },
    },
  ],
  options: {
    // A package finds another by its "exports", whose types are built: those are seen, and not gone into.
    doNotFollow: { path: "(node_modules|/dist/)" },
    exclude: { path: "/generated/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: require("node:path").join(__dirname, "tsconfig.layers.json") },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "default"],
      extensions: [".ts", ".js"],
    },
  },
};
