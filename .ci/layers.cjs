// The layer rules, for dependency-cruiser; CONTRIBUTING.md tells them to people. A lib imports only what its row names;
// services import libs, never each other; standalone alone imports the services' create functions.
const libs = {
  naming: [],
  status: [],
  schema: ["naming", "status"],
  codec: ["naming", "status", "schema"],
  api: ["naming", "status", "schema", "cel"],
  render: ["naming", "status", "schema", "codec", "api"],
  "component-config": ["naming", "status", "schema", "codec", "api"],
  scheduling: ["naming", "status", "schema", "api", "component-config"],
  patch: ["status", "schema"],
  store: ["status"],
  encryption: ["naming", "status", "schema", "codec", "rpc", "runtime", "store"],
  cache: [],
  rpc: ["status"],
  feed: ["status", "store", "rpc"],
  history: ["status", "schema", "store", "auth"],
  auth: ["naming", "status", "schema", "api", "cel"],
  client: ["naming", "status", "codec"],
  runtime: ["naming", "status", "schema", "codec"],
  tracing: ["naming", "status", "codec", "runtime"],
  pki: [],
  audit: ["naming", "status", "schema", "codec", "auth"],
  outbound: ["naming", "status", "codec", "pki"],
  cel: ["naming", "status", "schema"],
  access: ["naming", "status", "codec", "api", "auth", "client", "outbound", "rpc", "store", "runtime", "history"],
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
      comment: "services meet in proto/ or in the HTTP API; standalone wires them together, cli starts any of them",
      from: {
        path: "^services/([^/]+)/",
        pathNot: "^services/(standalone|cli)/|^services/gateway/src/(near|console)/",
      },
      to: { path: "^services/", pathNot: "^services/$1/" },
    },
    {
      name: "near-cache-is-a-watch-cache",
      severity: "error",
      comment: "a gateway that holds a copy of objects runs a watch cache on a feed, and loads it only then",
      from: { path: "^services/gateway/src/near/" },
      to: {
        path: "^services/",
        pathNot: "^services/(gateway/|watch-cache/(src|dist)/(assemble|config|thread/large-printer)\\.)",
      },
    },
    {
      name: "a-gateway-knows-where-the-console-lies",
      severity: "error",
      comment: "its files are served as they are; nothing of its code runs here",
      from: { path: "^services/gateway/src/console/" },
      to: { path: "^services/", pathNot: "^services/(gateway/|console/(src|dist)/site\\.)" },
    },
    {
      name: "the-console-is-a-browsers",
      severity: "error",
      comment:
        "what runs in a browser has no packages of Node, and of ours only the words, the reader of JSON and what roles allow",
      from: { path: "^services/console/src/web/", pathNot: "\\.test\\.tsx?$" },
      to: {
        path: "^(node:|libs/)",
        pathNot:
          "^libs/(naming/(src|dist)/|status/(src|dist)/read-json\\.|auth/(src|dist)/rbac/(who-may|rbac-objects)\\.)",
      },
    },
    {
      name: "runtime-in-main-only",
      severity: "error",
      comment:
        "a process is put together in main.ts and its run.ts alone; health, metrics and queue metrics are libs/runtime's public values",
      from: {
        path: "^services/",
        pathNot: "(/(main|run|command-line|settings)\\.ts$|flags\\.ts$|^services/(standalone|cli)/|\\.test\\.ts$)",
      },
      to: {
        path: "^libs/runtime/",
        pathNot: "^libs/runtime/(src|dist)/(health|metrics|leader-metric|queue-metrics|log|service|clock)(\\.d)?\\.ts$",
      },
    },
    {
      name: "expressions-are-compiled-where-there-are-some",
      severity: "error",
      comment:
        "auth loads the engine by its compilers alone: a start whose configuration has no expression does without",
      from: { path: "^libs/auth/", pathNot: "^libs/auth/src/expressions/[a-z-]+-compiler\\.ts$" },
      to: { path: "^libs/cel/" },
    },
    {
      name: "compilers-of-expressions-are-loaded-late",
      severity: "error",
      from: { path: "^libs/auth/" },
      to: { path: "^libs/auth/src/expressions/[a-z-]+-compiler\\.ts$", dynamic: false },
    },
    {
      name: "opentelemetry-is-loaded-late",
      severity: "error",
      comment: "a process without --tracing-config-file loads nothing of it",
      from: { path: "^(libs|services)/", pathNot: "^libs/tracing/src/(otlp|processor)\\.ts$|\\.(test|bench)\\.ts$" },
      to: { path: "(/@opentelemetry/|^libs/tracing/(src|dist)/(otlp|processor)\\.)", dynamic: false },
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
      extensions: [".ts", ".tsx", ".js"],
    },
  },
};
