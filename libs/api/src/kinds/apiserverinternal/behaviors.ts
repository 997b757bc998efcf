import type { Behaviors } from "../../behavior.js";
import { storageVersion } from "./storage-version.js";

export const apiserverinternalBehaviors: Behaviors = [["apiserverinternal/v1alpha1.StorageVersion", storageVersion]];
