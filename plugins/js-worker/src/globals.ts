import { readFileSync } from 'node:fs';

/** JavaScript that gives scripts the globals of script workers; `brand` names two of them. */
export function globalsOf(brand: string): string {
  const text = readFileSync(new URL('../prelude/server.js', import.meta.url), 'utf8');
  return `(api) => ${text.trim().replace(/;$/, '')}(api, ${JSON.stringify(brand)})`;
}
