import { startStandalone } from "./harness/target.js";
import { behaviour } from "./suite/behaviour.js";

behaviour("standalone", { start: () => startStandalone() });
