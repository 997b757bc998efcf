/** Which places of the list of nodes hold something else than before: another node, another value of it, others that are to come. */
export interface PlaceLog {
  /** To ask {@link since} by, later. */
  readonly end: number;
  /** Visits places that have changed since, some more than once. False: so much has happened that any of them may have. */
  since(mark: number, visit: (place: number) => void): boolean;
}

export interface PlaceRecorder extends PlaceLog {
  changed(place: number): void;
  allChanged(): void;
}

/** A power of two. Who asks less often than after so many changes looks at every node again. */
const kept = 4096;

/** changed(3), mark, changed(7), changed(3)   →   since(mark): 7 3 */
export function createPlaceLog(): PlaceRecorder {
  const places = new Int32Array(kept);
  let end = 0;
  return {
    get end() {
      return end;
    },
    since(mark, visit) {
      if (end - mark > kept) return false;
      for (let i = mark; i < end; i++) visit(places[i % kept] ?? 0);
      return true;
    },
    changed(place) {
      places[end % kept] = place;
      end += 1;
    },
    allChanged() {
      end += kept + 1;
    },
  };
}
