import type { ResourceName } from "@orch/status/api-error.js";
import type { EncryptionConfiguration } from "./configuration.js";
import { covers, isWildcard, parseGroupResource, showGroupResource } from "./group-resource.js";

/** The first name that an earlier rule's wildcard takes in: it would never be asked. */
export function maskedRule({ rules }: EncryptionConfiguration): string | undefined {
  const wildcards: ResourceName[] = [];
  for (const { resources } of rules) {
    const names = resources.map(parseGroupResource);
    for (const name of names) {
      const earlier = wildcards.find((wildcard) => covers(wildcard, name));
      if (earlier === undefined) continue;
      const [masked, by] = [name, earlier].map(showGroupResource).map((text) => JSON.stringify(text));
      return `resource ${masked} is masked by earlier rule ${by}`;
    }
    wildcards.push(...names.filter(isWildcard));
  }
  return undefined;
}
