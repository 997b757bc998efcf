const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const maxPrefix = 58;
const suffixLength = 5;

/** A prefix, cut where it is long, with five random letters; `random` gives [0, 1). */
export function generatedName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, maxPrefix);
  for (let i = 0; i < suffixLength; i++) name += alphabet[Math.floor(random() * alphabet.length)];
  return name;
}
