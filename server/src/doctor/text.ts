/** Lines of an error, one for each problem, without the name of the configuration that stands above the report. */
export function linesOf(error: unknown, path: string): string[] {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').filter((line) => line !== '' && line !== `(configuration: ${path})`);
}

/** Returns a text as a sentence: with a capital, unless it begins with a key, and a full stop. */
export const sentence = (text: string): string =>
  text
    .replace(/^[a-z]+(?= )/, ([first = '', ...rest]) => first.toUpperCase() + rest.join(''))
    .replace(/[^.?]$/, '$&.');
