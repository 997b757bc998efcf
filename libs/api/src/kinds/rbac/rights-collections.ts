/** Of what rights are made that bindings give. */
export const rightsCollections = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] as const;
