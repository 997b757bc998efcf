/** So many of all objects have the label that lists select by, however many there are. */
export const picked = 100;
const inNamespace = 1000;

export function namespaceOf(index: number): string {
  return `many-${Math.floor(index / inNamespace)}`;
}

export function nameOf(index: number): string {
  return `cm-${String(index).padStart(7, "0")}`;
}
