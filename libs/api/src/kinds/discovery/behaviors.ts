import type { Behaviors } from "../../behavior.js";
import { endpointSlice } from "./endpoint-slice.js";

export const discoveryBehaviors: Behaviors = [["discovery/v1.EndpointSlice", endpointSlice]];
