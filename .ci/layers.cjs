// The layer rules of the design's section 2, for dependency-cruiser. A lib imports only what its row names;
// services import libs, never each other; standalone alone imports the services' create functions.
const libs = {
  naming: [],
  status: ["naming"],
  schema: ["naming", "status"],
  codec: ["naming", "status", "schema"],
  api: ["naming", "status", "schema"],
  render: ["naming", "status", "schema", "codec", "api"],
  patch: ["status", "schema"],
  cel: ["status"],
  store: ["status"],
  cache: ["status"],
  rpc: ["status"],
  auth: ["naming", "status", "api", "cel"],
  client: ["naming", "status", "codec", "api", "cache"],
  runtime: ["naming", "status", "schema"],
  pki: [],
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
      comment: "a process is put together in main.ts alone; health and metrics types are libs/runtime's public values",
      from: { path: "^services/", pathNot: "(/(main|flags|settings)\\.ts$|^services/standalone/|\\.test\\.ts$)" },
      to: { path: "^libs/runtime/", pathNot: "^libs/runtime/src/(health|metrics|log|service|clock)\\.ts$" },
    },
    {
      name: "product-code-does-not-import-tests",
      severity: "error",
      from: { path: "^(libs|services)/" },
      to: { path: "^(e2e|bench|deploy)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(/dist/|/generated/)" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: require("node:path").join(__dirname, "tsconfig.layers.json") },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "default"],
      extensions: [".ts", ".js"],
    },
  },
};
