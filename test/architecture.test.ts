/** The map of the sources names only what exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { scenarios } from '../bench/scenarios/index.ts';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const test = suite('architecture');

/** Paths in backquotes that begin with a folder of the repository. */
const pathsOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /`((?:agent|bench|checks|conditions|config|docs|examples|fair-turns|kernel|plugin-sdk|plugins|server|test)\/[\w./-]*)`/g,
    ),
  ].map((match) => match[1]!);

for (const page of ['docs/architecture.md', 'docs/lifecycle.md', 'CONTRIBUTING.md', 'README.md']) {
  test(`${page} names only files and folders that exist`, () => {
    const paths = pathsOf(readFileSync(join(root, page), 'utf8'));
    assert.ok(paths.length > 0, 'the page names paths');
    assert.equal(
      paths.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });
}

test('docs/architecture.md names the file of at least forty behaviours', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, table = ''] = /^## Which file does what\n([\s\S]*?)\n## /m.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| [^|]+ \| (.+) \|$/gm)].filter(
    ([, cell]) => pathsOf(cell!).length,
  );
  assert.ok(rows.length >= 40, `${rows.length} rows`);
});

test('bench/README.md says of every scenario what it guards', () => {
  const rows = readFileSync(join(root, 'bench', 'README.md'), 'utf8').matchAll(/^\| (`[^|]*)\|/gm);
  const named = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([a-z][\w-]*)`/g)]);
  const queries = ['multi-last', 'summary-range', 'dynamic-range'].map(
    (name) => `${name}-postgres`,
  );
  assert.equal(
    [...named.map(([, name]) => name), ...queries].sort(),
    scenarios.map(({ name }) => name).sort(),
  );
});

test.run();
