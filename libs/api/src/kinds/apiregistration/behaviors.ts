import type { Behaviors } from "../../behavior.js";
import { apiService } from "./api-service.js";

export const apiregistrationBehaviors: Behaviors = [["apiregistration/v1.APIService", apiService]];
