/** CONTRIBUTING.md, "Tests": a test gets into the product the way its user does, and a shortcut has a twin. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';
import { ABOUT_SQL, shortcuts } from './shortcuts.ts';

const test = suite('shortcuts of the tests');
const root = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const sources = ['test/**/*.ts', 'server/src/testing/*.ts', 'plugin-sdk/src/testing*.ts']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !/^test\/shortcuts/.test(file))
  .sort();

for (const { what, pattern, files, twins } of shortcuts) {
  if (files)
    test(`is listed where it is taken: ${what} (${pattern.source})`, () => {
      const found = sources.filter((file) => pattern.test(read(file)));
      const advice = 'take the way of a user, or list the file in test/shortcuts.ts beside a twin';
      assert.equal(found, files, advice);
    });

  test(`has a twin that takes the real way: ${what} (${pattern.source})`, () => {
    assert.ok(twins.length > 0);
    for (const [file, title] of twins) {
      assert.ok(existsSync(join(root, file)), `${file} is not there`);
      assert.ok(
        titlesOf(file).some((line) => line.includes(title)),
        `${file} has no test '${title}'`,
      );
    }
  });
}

/** The titles of a file, as they stand behind `test(`. */
const titlesOf = (file: string): string[] =>
  [...read(file).matchAll(/\btest\(\s*(['"`])([\s\S]*?)\1,/g)].map((match) => match[2] ?? '');

/** Tables of the product, from its migrations. */
const tables = new Set(
  globSync('plugins/*/src/**/{migrations,migrations/*}*.ts', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/(?:create table (?:if not exists )?|createTable\(')([a-z_]+)/gi)].map(
      ([, name]) => name ?? '',
    ),
  ),
);

test('rows of a table of the product are written by hand only where the list says so', () => {
  assert.ok(tables.has('token') && tables.has('task'), 'the tables are found in the migrations');
  const listed = shortcuts.map(({ pattern }) => pattern.source);
  const written = sources
    .filter((file) => !ABOUT_SQL.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/insert into ([a-z_]+)/gi)].map(([, name = '']) => name),
    )
    .filter((name) => tables.has(name) && !listed.includes(`insert into ${name}\\b`));
  assert.equal([...new Set(written)], []);
});

test.run();
