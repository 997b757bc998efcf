import type { ApiResource } from "@orch/client/discovery.js";
import { ApiError } from "@orch/status/api-error.js";
import { type Deletion, readDeleted } from "./past.js";
import { formOf, printed, type Run } from "./run.js";
import { hasHistory, nameOf, resourceOf } from "./server.js";
import { deletedText } from "./text.js";
import { Unusable } from "./world.js";

type Gone = Deletion & { readonly kind: string };

/** `orch deleted`; gives the exit code: 1 where something may not be read. */
export async function showDeleted(run: Run): Promise<number> {
  const { values, words, server, world } = run;
  const form = formOf(values);
  const [word, ...more] = words;
  if (more.length > 0) throw new Unusable("one kind is enough");
  const all = values["all-namespaces"] === true;
  const resources = word === undefined ? server.resources.filter((one) => isIn(one, all)) : [known(run, word)];
  const gone: Gone[] = [];
  let refused = 0;
  for (const resource of resources) {
    const namespace = resource.namespaced && !all ? (values.namespace ?? server.namespace) : "";
    try {
      const deletions = await readDeleted(server.client, { resource, namespace });
      gone.push(...deletions.map((deletion) => ({ ...deletion, kind: resource.kind.toLowerCase() })));
    } catch (error) {
      if (word !== undefined || !(error instanceof ApiError)) throw error;
      refused++;
      world.printError(`${nameOf(resource)}: ${error.message}\n`);
    }
  }
  gone.sort((a, b) => b.revision - a.revision);
  if (form !== undefined) world.print(printed({ items: gone }, form));
  else world.print(gone.length === 0 ? "nothing was deleted\n" : `${deletedText(gone, world.now())}\n`);
  return refused === 0 ? 0 : 1;
}

/** Without a kind: those of the namespace, or everything. */
const isIn = (resource: ApiResource, all: boolean): boolean => hasHistory(resource) && (all || resource.namespaced);

/** @throws Unusable */
function known({ server }: Run, word: string): ApiResource {
  const resource = resourceOf(server, word);
  if (!hasHistory(resource))
    throw new Unusable(`the server keeps no history of ${nameOf(resource)} (--object-history)`);
  return resource;
}
