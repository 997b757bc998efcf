import type { CellOf } from "../cell.js";
import { accessCells } from "./access.js";
import { autoscalerCells } from "./autoscaler.js";
import { coreCells } from "./core.js";
import { endpointsCells } from "./endpoints.js";
import { eventCells } from "./event.js";
import { networkingCells } from "./networking.js";
import { nodeCells } from "./node.js";
import { podCells } from "./pod.js";
import { serviceCells } from "./service.js";
import { systemCells } from "./system.js";
import { volumeCells } from "./volume.js";
import { workloadCells } from "./workloads.js";

/** Cells that need more than a path, by the names that data files call them. */
export const cells: ReadonlyMap<string, CellOf> = new Map([
  ...accessCells,
  ...autoscalerCells,
  ...coreCells,
  ...endpointsCells,
  ...eventCells,
  ...networkingCells,
  ...nodeCells,
  ...podCells,
  ...serviceCells,
  ...systemCells,
  ...volumeCells,
  ...workloadCells,
]);
