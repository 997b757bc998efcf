/**
 * Node's `http`, taken without an `import` of it: that one reads every export, one of which loads all of `fetch`, and
 * costs each start 45 ms of CPU (Node 26).
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule("node:http");
