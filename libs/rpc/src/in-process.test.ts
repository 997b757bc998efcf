import { createInProcess } from "./in-process.js";
import { transportSuite } from "./transport.suite.js";

transportSuite("in process", async () => {
  const window = 64 * 1024;
  const { services, caller } = createInProcess({ window });
  return { services, caller, window, close: () => caller.close() };
});
