import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { code, GENERATED, table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');

/** Hooks and topics, as the sources document them. */
export function eventsPage(): string {
  return `${GENERATED}# Hooks and topics

What a plugin hears of. A hook is tapped in \`setup\` (\`kernel.hooks.ready.tap(…)\`); a topic is subscribed to with \`kernel.subscribe\` and reaches all servers, unless it is local. [\`plugin-sdk/src/plugin.ts\`](../../plugin-sdk/src/plugin.ts) has the types.

## Hooks

${table(['Hook', 'Gets, and answers', 'When'], hooks())}## Topics

Other plugins may subscribe to those of an \`api.ts\`; the others belong to their plugin.

${table(['Topic', 'Plugin', 'For others', 'Says'], topics())}`
    .trimEnd()
    .concat('\n');
}

/** The members of \`interface Hooks\`, with the comments before them. */
function hooks(): string[][] {
  const [, body = ''] =
    /export interface Hooks \{\n([\s\S]*?)\n\}/.exec(read('plugin-sdk/src/plugin.ts')) ?? [];
  const rows: string[][] = [];
  for (const [, comment = '', name = '', type = ''] of body.matchAll(
    /(?:\/\*\*([\s\S]*?)\*\/\s*)?readonly (\w+): (?:Async)?Taps<([\s\S]*?)>;/g,
  ))
    rows.push([code(name), code(type), words(comment)]);
  if (rows.length === 0) throw new Error('no hook was found in plugin-sdk/src/plugin.ts');
  return rows;
}

function topics(): string[][] {
  const paths = globSync('{plugin-sdk,plugins/*}/src/**/*.ts', { cwd: root }).sort();
  return paths.flatMap((path) => {
    const matches = read(path).matchAll(
      /(?:\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\n)?^(?:export )?const \w+ = topic\(\s*'([^']+)'/gm,
    );
    const plugin = /plugins\/([^/]+)\//.exec(path)?.[1] ?? 'plugin-sdk';
    const isOpen = /\/api\.ts$|^plugin-sdk/.test(path) ? 'yes' : 'no';
    return [...matches].map(([, comment = '', name = '']) => [
      code(name),
      code(plugin),
      isOpen,
      words(comment),
    ]);
  });
}

const words = (comment: string) => comment.replace(/\s*\n\s*\*\s?/g, ' ').trim();
