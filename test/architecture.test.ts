/** The map of the sources names only what exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const test = suite('architecture');

/** Paths in backquotes that begin with a folder of the repository. */
const pathsOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /`((?:agent|bench|config|docs|examples|kernel|plugin-sdk|plugins|server|test)\/[\w./-]*)`/g,
    ),
  ].map((match) => match[1]!);

for (const page of ['docs/architecture.md', 'CONTRIBUTING.md', 'README.md']) {
  test(`${page} names only files and folders that exist`, () => {
    const paths = pathsOf(readFileSync(join(root, page), 'utf8'));
    assert.ok(paths.length > 0, 'the page names paths');
    assert.equal(
      paths.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });
}

test.run();
