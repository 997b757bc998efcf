import { groupsOfBodies } from "./body-groups.js";
import type { Subject } from "./kinds.js";
import { groupsOfPlace, shortGroupsOfPlace } from "./place-groups.js";
import { isContainer, placesOf } from "./places.js";
import { groupsOfHeads, groupsOfPatches } from "./request-groups.js";
import type { Group } from "./rows.js";
import { shapes } from "./samples.js";
import { groupOfText } from "./text-groups.js";

/** Every kind's every place; what several kinds share is looked at from all sides in the first of them. */
export function* groupsOfKinds(subjects: readonly Subject[]): Generator<Group> {
  const known = new Set<string>();
  for (const subject of subjects) {
    for (const place of placesOf(subject.kind.type)) {
      if (!isContainer(place.type)) continue;
      const isNew = !known.has(place.id);
      known.add(place.id);
      if (isNew) for (const shape of shapes) yield* groupsOfPlace({ subject, place, shape });
      else yield* shortGroupsOfPlace({ subject, place, shape: "distinct" });
    }
  }
}

/** Every field of text, once wherever its message stands. */
export function* groupsOfTexts(subjects: readonly Subject[]): Generator<Group> {
  const known = new Set<string>();
  for (const subject of subjects) {
    for (const place of placesOf(subject.kind.type)) {
      if (isContainer(place.type) || known.has(place.id)) continue;
      known.add(place.id);
      yield groupOfText(subject, place);
    }
  }
}

export function* allGroups(subjects: readonly Subject[]): Generator<Group> {
  const named = (name: string): Subject => {
    const subject = subjects.find((s) => s.name === name);
    if (subject === undefined) throw new Error(`the catalog has no ${name}`);
    return subject;
  };
  yield* groupsOfBodies(named("v1.ConfigMap"));
  yield* groupsOfHeads();
  yield* groupsOfPatches(named("v1.ConfigMap"), named("v1.Pod"), named("v1.ServiceAccount"));
  yield* groupsOfTexts(subjects);
  yield* groupsOfKinds(subjects);
}
