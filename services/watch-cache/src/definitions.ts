import { definitionKind } from "@orch/api/custom/definition.js";
import { kindsGone, type LiveCatalog } from "@orch/api/custom/live-catalog.js";
import { selectablePaths } from "@orch/api/writes.js";
import { revision } from "@orch/store/revision.js";
import type { DefinitionFeed } from "./mirror/apply.js";
import type { Mirror } from "./mirror/mirror.js";
import { parsedWhole } from "./object.js";
import type { OpenWatch } from "./watch.js";

/** Tells a catalog of definitions as the mirror comes to them: between the objects before and those after. */
export function definitionFeed(catalog: LiveCatalog): DefinitionFeed {
  return {
    storagePrefix: definitionKind(catalog.builtIn).storage.prefix,
    replaced: (definitions, at) => catalog.replaced(definitions.map(parsedWhole), at),
    changed({ item, key, revision: at }) {
      if (item === undefined) catalog.deleted(key, at);
      else catalog.changed(parsedWhole(item));
    },
  };
}

/** Of a store that has none: the catalog hears of them from another. */
export const noDefinitions: DefinitionFeed = { storagePrefix: "", replaced: () => {}, changed: () => {} };

/** Keeps what is shown in step with the catalog: collections by their selectable fields, watches by their kinds. */
export function followCatalog(catalog: LiveCatalog, mirror: Mirror, open: ReadonlySet<OpenWatch>): void {
  catalog.onChange((change) => {
    const gone = new Set(kindsGone(change));
    for (const opened of [...open]) opened.leave(gone);
    const stored = change.after?.kinds.find((kind) => kind.stored === kind);
    if (stored !== undefined && selectablePaths(stored).length > 0) {
      mirror.refresh(stored.storage.prefix, revision(change.after?.revision ?? 0));
    }
  });
}
