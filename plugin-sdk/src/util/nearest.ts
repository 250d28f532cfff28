/**
 * The most similar of these names, when at most a third of its letters differ; the first of several.
 * @param part what of a name is compared; default: all of it
 */
export function nearest(
  word: string,
  names: Iterable<string>,
  part: (name: string) => string = (name) => name,
): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const text = part(name);
    const distance = editDistance(word.toLowerCase(), text.toLowerCase());
    if (distance > Math.max(1, Math.floor(text.length / 3))) continue;
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best?.name;
}

/** `; did you mean 'handle'?`, or nothing when no name is similar. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const name = nearest(word, names);
  return name === undefined ? '' : `; did you mean '${name}'?`;
}

/** Letters to insert, delete or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (let column = 0; column < b.length; column++) {
      const replaced = (row[column] ?? 0) + (letter === b[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
