import { parse } from 'yaml';
import { ImportFault } from './types.ts';

const MOST_BYTES = 6_291_456;
const MOST_YAML_BYTES = 1_048_576;
/** Uses of anchors; what they stand for is counted with what it stands for itself. */
const MOST_ALIASES = 100;

/** Reads a file of JSON or YAML. @throws ImportFault */
export function readText(bytes: Uint8Array): unknown {
  if (bytes.length > MOST_BYTES) throw new ImportFault('the file is larger than 6 MB');
  const text = decoded(bytes);
  if (/^\s*[{[]/.test(text.slice(0, 1_000))) {
    const found = attempt(() => JSON.parse(text));
    if (found !== undefined) return found;
  }
  if (bytes.length > MOST_YAML_BYTES)
    throw new ImportFault('the file is larger than 1 MB, or no JSON');
  try {
    return parse(text, { maxAliasCount: MOST_ALIASES, merge: true, logLevel: 'error' });
  } catch (cause) {
    // Its message repeats lines of the file, which hold secrets.
    const [first = ''] = (cause as Error).message.split('\n');
    const at = / at line \d+, column \d+/.exec(first)?.[0] ?? '';
    const reason = /alias/i.test(first)
      ? 'its anchors stand for too much, or for nothing'
      : /call stack/i.test(first)
        ? `it is nested too deeply${at}`
        : `it cannot be read${at}`;
    throw new ImportFault(`the file is no JSON and no YAML: ${reason}`, { cause });
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ImportFault('the file is neither a SQLite database nor text in UTF-8', { cause });
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // YAML takes what is no JSON.
    return undefined;
  }
}
