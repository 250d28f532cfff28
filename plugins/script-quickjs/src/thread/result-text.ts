/** Levels of nesting that a recorded value may have; one more is a failure (js-runtime.md §2). */
const MOST_LEVELS = 127;
const HALF = /\p{Cs}/u;

/** JSON text of a handler's value, or why it cannot be recorded. */
export type Recorded = { readonly text: string } | { readonly unusable: string };

/** Checks JSON text that `JSON.stringify` of a script has made; scripts can replace that function. */
export function recordedJson(text: string, maxBytes: number): Recorded {
  if (text.length > maxBytes) return { unusable: `it is larger than ${maxBytes} bytes` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { unusable: (error as Error).message };
  }
  const why = flaw(value, 0);
  return why === undefined ? { text } : { unusable: why };
}

/** A returned string: JSON text where it is some, else itself as a JSON string. */
export function recordedText(text: string, maxBytes: number): Recorded {
  const parsed = recordedJson(text, maxBytes);
  if ('text' in parsed) return parsed;
  if (isJson(text)) return parsed;
  return recordedJson(JSON.stringify(text), maxBytes);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function flaw(value: unknown, level: number): string | undefined {
  if (typeof value === 'string') return HALF.test(value) ? 'lone surrogate in a string' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (level >= MOST_LEVELS) return 'recursion limit exceeded';
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) {
    const why = flaw(item, level + 1);
    if (why !== undefined) return why;
  }
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return names.some((name) => HALF.test(name)) ? 'lone surrogate in a name' : undefined;
}
