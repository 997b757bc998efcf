/** The key of an extra field in a header's name: percent-encoded where a name could not carry it; what is no encoding stands for itself. */
export function extraKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
