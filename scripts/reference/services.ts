import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from '../../plugin-sdk/src/index.ts';
import { block, code, GENERATED, table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');

interface Offered {
  readonly name: string;
  /** Name of the service, as errors say it. */
  readonly service: string;
  readonly type: string;
  readonly module: string;
  readonly path: string;
  readonly text: string;
}

/** Page of what built-in plugins and the program offer to plugins, as the sources document it. */
export function servicesPage(plugins: readonly Plugin[]): string {
  const all = [
    ...offersOf('{plugin-sdk,fair-turns,conditions}/src/*.ts'),
    ...offersOf('plugins/*/src/api.ts'),
  ];
  if (all.length < 20) throw new Error(`only ${all.length} services were found`);
  const list = table(
    ['Service', 'Import', 'Name'],
    all.map((one) => [
      `[${code(one.name)}](#${one.name.toLowerCase()})`,
      code(`import { ${one.name} } from '${one.module}'`),
      code(one.service),
    ]),
  );
  return `${GENERATED}# Services

Objects that one plugin provides and others use: list one under \`requires\` or \`optional\`, and call \`kernel.use(…)\` or \`kernel.useOptional(…)\` after every setup. The server lends its packages to plugins wherever they lie, so these imports work in yours. [Topics and hooks](events.md) are on a page of their own; the topics of a plugin are imported from the same \`/api\`.

These names stay. A change of what stands here has a line in the changelog.

${list}${all.map((one) => section(one, plugins)).join('')}`
    .trimEnd()
    .concat('\n');
}

function offersOf(pattern: string): Offered[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .flatMap((path) => {
      const text = readFileSync(resolve(root, path), 'utf8');
      const found = text.matchAll(/^export const (\w+) = service<([^>]*)>\(\s*'([^']+)'/gm);
      const plugin = /^plugins\/([^/]+)\//.exec(path)?.[1];
      const [folder] = path.split('/');
      const module = plugin === undefined ? `@svc/${folder}` : `@svc/plugin-${plugin}/api`;
      return [...found].map(([, name = '', type = '', service = '']) => ({
        ...{ name, type, service, module, path, text },
      }));
    });
}

function section({ name, type, service, path, text }: Offered, plugins: readonly Plugin[]): string {
  const provider = plugins.find(({ provides }) => provides?.some((one) => one.service === service));
  const by = provider ? code(provider.name) : 'the program';
  const shape = shapeOf(text, type);
  const source = `[\`${path}\`](../../${path})`;
  return `## ${name}

Provided by ${by}. ${shape ? `The other types that it names are in ${source}.` : `Its type is in ${source}.`}

${shape ? block('ts', shape) : ''}`;
}

/** The declaration of a type with the comments before it and in it. */
const shapeOf = (text: string, type: string): string | undefined =>
  new RegExp(
    `(?:/\\*\\*(?:(?!\\*/)[\\s\\S])*?\\*/\\n)?^export (?:interface ${type}\\b[^{]*\\{[\\s\\S]*?^\\}|type ${type} = [\\s\\S]*?;)$`,
    'm',
  ).exec(text)?.[0];
