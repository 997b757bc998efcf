import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { startDistributed } from "./harness/target.js";
import { behaviour } from "./suite/behaviour.js";

behaviour("distributed", { start: () => startDistributed(), skip: etcdMissing() });
