import type { Route, Routes } from "./cloud.js";

/** Ways that lead nowhere: a table that lasts as long as the process. */
export function createSimulatedRoutes(): Routes {
  const routes = new Map<string, Route>();
  return {
    async list() {
      return [...routes.values()];
    },
    async create(route) {
      routes.set(route.name, route);
    },
    async remove({ name }) {
      routes.delete(name);
    },
  };
}
