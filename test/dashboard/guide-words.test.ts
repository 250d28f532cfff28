// Guides name buttons and numbers of the program as it has them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { builtInNames } from '../../server/src/plugins/find.ts';
import { root } from '../documentation-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('guides: words of the program');
const page = (path: string) => readFileSync(join(root, path), 'utf8');

/** Texts of the alerts pages, those with values as the guides fill them in. */
function textsOf(words: unknown): string[] {
  if (typeof words === 'string') return [words];
  if (typeof words === 'function')
    return ['phone', '…'].flatMap((channel) => {
      try {
        return textsOf(words(10, channel));
      } catch {
        // It takes other values.
        return [];
      }
    });
  return typeof words === 'object' && words !== null ? Object.values(words).flatMap(textsOf) : [];
}

test('every button that the guides name of the alerts pages is there', async () => {
  // By its path: the types of the page are those of browsers.
  const { words: alerts } = await import(join(root, 'plugins/dashboard/web/pages/alerts/en.ts'));
  const known = new Set([...textsOf(alerts), 'Alerts']);
  const dashboard = page('docs/guide/dashboard.md');
  const from = dashboard.indexOf('- **Channels**: from the first machine');
  assert.ok(from > 0);
  const section = dashboard.slice(from, dashboard.indexOf('\n\n', from));
  const named = [page('docs/guide/alerts.md').replace(/^```[\s\S]*?^```$/gm, ''), section].flatMap(
    (text) => [...text.matchAll(/(?<![\w`])_([A-Z][^_]*)_(?!\w)/g)].map(([, name = '']) => name),
  );
  assert.ok(named.length > 10, String(named.length));
  for (const name of named) assert.ok(known.has(name), `_${name}_ is no text of the alerts pages`);
});

test('every button that the guide names of the monitors pages is there', async () => {
  const { words } = await import(join(root, 'plugins/dashboard/web/pages/monitors/en.ts'));
  const known = new Set([...textsOf(words), 'Monitors']);
  const guide = page('docs/guide/monitors.md').replace(/^```[\s\S]*?^```$/gm, '');
  const named = [...guide.matchAll(/(?<![\w`])_([A-Z][^_]*)_(?!\w)/g)].map(([, name = '']) => name);
  assert.ok(named.length > 3, String(named.length));
  for (const name of named)
    assert.ok(known.has(name), `_${name}_ is no text of the monitors pages`);
});

test('the number of built-in plugins is that of the program, in README and in the guide of doctor', () => {
  const count = builtInNames().length;
  assert.match(page('README.md'), `([all ${count}](docs/reference/plugins.md))`);
  assert.match(page('docs/guide/upgrade.md'), `it asks for ${count} plugins.`);
  const rows = page('docs/reference/plugins.md').match(/^\| \[`/gm) ?? [];
  assert.is(rows.length, count);
});

test('every key beside the configuration is named where the guides say what to keep', () => {
  for (const path of ['docs/guide/upgrade.md', 'docs/guide/deployment.md', 'docs/guide/backup.md'])
    assert.match(page(path), /`audit\.key`, `signing\.key` and `secrets\.key`/, path);
});

test.run();
