import { ImportFault } from './types.ts';
import { readYaml } from './yaml.ts';

const MOST_BYTES = 6_291_456;
const MOST_YAML_BYTES = 1_048_576;

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
    return readYaml(text);
  } catch (cause) {
    if (!(cause instanceof ImportFault)) throw cause;
    throw new ImportFault(`the file is no JSON and no YAML: ${cause.message}`, { cause });
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
