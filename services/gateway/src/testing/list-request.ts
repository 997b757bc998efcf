import type { ListRequest } from "@orch/rpc/messages.js";

/** For all pods. */
export const listRequest: ListRequest = {
  group: "",
  version: "v1",
  resource: "pods",
  namespace: "",
  labelSelector: "",
  fieldSelector: "",
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continueToken: "",
  form: "",
  gzip: false,
};
