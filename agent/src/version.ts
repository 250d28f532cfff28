import { readFileSync } from 'node:fs';

/** Written in place by the bundle, which has no `package.json` next to it. */
declare const SVC_AGENT_VERSION: string | undefined;

/** Returns this program's version, `X.Y.Z`. */
export function version(): string {
  if (typeof SVC_AGENT_VERSION === 'string') return SVC_AGENT_VERSION;
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
