/** What code, tests and pages cite is there: chapters of `docs/protocol`, their sections, and the targets of links. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { App } from '@svc/kernel';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { blocksOf, messagesOf, pagesOf, root } from './documentation-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('citations');

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;
const isForeign = (name: string) => /^(?:\..*|node_modules|dist|data)$/.test(name);

/** Sources and pages of the repository. */
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !isForeign(entry.name))
  .map(({ name }) => `${name}/**/*.{ts,js,mjs,md,toml}`);
const files = globSync(['*.md', ...folders], {
  cwd: root,
  exclude: (path) => isForeign(basename(path)),
})
  .map((path) => relative(root, join(root, path)))
  .sort();

const chapters = pagesOf(['docs/protocol/*.md']);
const pages = files.filter((path) => path.endsWith('.md'));
const pageNames = new Set(pages.map((path) => basename(path)));

/** Headings of a page: their text, without code quotes. */
const headingsOf = (path: string): string[] =>
  [
    ...read(path)
      .replace(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/^#{1,4} (.+)$/gm),
  ].map((match) => match[1]!.replaceAll('`', ''));

/** `4.1`, `B6`: what a citation names behind the sign. */
const SECTION = String.raw`[AB]?\d+(?:\.\d+)*`;
const sections = new Map(
  chapters.map((path) => [
    basename(path),
    new Set(
      headingsOf(path).flatMap((text) => new RegExp(`^(${SECTION})\\.? `).exec(text)?.[1] ?? []),
    ),
  ]),
);

/** `agent.md §3.1, §4 and §6 to §7` */
const CITATION = new RegExp(
  String.raw`(?<![\w/.'-])([a-z][a-z0-9-]*\.md)\b((?:(?:,|;)?(?: and| to)? §${SECTION})*)( ?,? ?(?:§|[AB]?\d)\S*)?`,
  'g',
);

/** What is wrong with the citations of a text. */
function deadIn(text: string): string[] {
  return [...text.matchAll(CITATION)].flatMap(([whole, name = '', cited = '', rest]) => {
    const known = sections.get(name);
    if (!known) return pageNames.has(name) && !cited ? [] : [`${whole}: no such chapter`];
    if (rest !== undefined) return [`${whole}: write '§' before the section`];
    return [...cited.matchAll(new RegExp(`§(${SECTION})`, 'g'))]
      .filter(([, section]) => !known.has(section!))
      .map(([sign]) => `${whole}: no section ${sign}`);
  });
}

test('a citation of a chapter or section that is not there is found', () => {
  for (const text of [
    'db.md §99',
    'db.md §1 and §99',
    'db.md §1 to §99',
    'db.md 4.6',
    'nothing.md §1',
    'static-http.md B4',
  ])
    assert.is(deadIn(`as in ${text}.`).length, 1, text);
  for (const text of [
    'db.md §4.6',
    'db.md §1, §2 and §3',
    'static-http.md §B4, RFC 9110 §13',
    'db.md',
  ])
    assert.equal(deadIn(`as in ${text}, and more`), [], text);
});

test('every citation leads to a section of a chapter', () => {
  const own = 'test/citations.test.ts';
  const dead = files
    .filter((path) => path !== own && !/\bCHANGELOG\.md$/.test(path))
    .flatMap((path) => deadIn(read(path)).map((what) => `${path}: ${what}`));
  assert.equal(dead, []);
});

/** The anchor that a heading has on the web. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

test('every relative link of a page leads to a file, and to a heading of it', () => {
  const dead = pages.flatMap((page) => {
    const text = read(page).replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''));
    return [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(([, path = '', anchor]) => {
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !headingsOf(target).map(anchorOf).includes(anchor);
      })
      .map((match) => `${page}:${lineAt(text, match.index)}: ${match[0]}`);
  });
  assert.equal(dead, []);
});

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

for (const block of chapters.flatMap(blocksOf).filter(({ language }) => language === 'json')) {
  test(`${block.page}:${block.line}: the JSON is sound`, () => {
    assert.ok(isJson(block.text) || messagesOf(block.text).length > 0);
  });
}

/** Names of methods in headings, and in the first column of tables of methods. */
function methodsIn(chapter: string): string[] {
  const text = read(chapter);
  const tables = [...text.matchAll(/^\| Method\b.*\n\|[-| :]+\n((?:\|.*\n)+)/gm)].flatMap(
    ([, rows = '']) => rows.split('\n').map((row) => row.split('|')[1] ?? ''),
  );
  const headings = [...text.matchAll(/^#+ [\d.]+ (?=`).*$/gm)].map(([heading]) => heading);
  return [...tables, ...headings].flatMap((cell) =>
    [...cell.matchAll(/`([a-z][a-z-]*_[a-z_]+)`/g)].map(([, name]) => name!),
  );
}

/** The index of conventions.md §7. */
function indexed(): string[] {
  const [, part = ''] =
    /^## 7\. Methods\n([\s\S]*?)^## /m.exec(read('docs/protocol/conventions.md')) ?? [];
  return [...part.matchAll(/^\| `([a-z-]+)`[^|]*\| (.*) \|$/gm)].flatMap(([, space, names = '']) =>
    [...names.matchAll(/[a-z][a-z_]+/g)]
      .filter(([word]) => word !== 'and')
      .map(([word]) => `${space}_${word}`),
  );
}

/** A method, and the one that ends its streams. */
const namesOf = ({ name, definition }: { name: string; definition: object }): string[] =>
  'unsubscribe' in definition ? [name, String(definition.unsubscribe)] : [name];

test('chapters name every method of a server with all plugins, and none besides', async () => {
  const app = await bootForTest(undefined);
  const { methods } = app.kernel as App;
  const registered = [...methods.values()].flatMap(namesOf);
  await app.stop();
  const all = chapters.map(read).join('\n');
  assert.equal(
    registered.filter((name) => !all.includes(`\`${name}\``)),
    [],
    'methods without a chapter',
  );
  const ofProtocol = [...methods.values()]
    .filter(({ definition }) => !definition.addition)
    .flatMap(namesOf)
    .sort();
  assert.equal(indexed().sort(), ofProtocol, 'the index of conventions.md §7');
  const strange = chapters.flatMap((chapter) =>
    methodsIn(chapter)
      .filter((name) => !registered.includes(name))
      .map((name) => `${chapter}: ${name}`),
  );
  assert.equal(strange, [], 'methods of chapters that do not exist');
});

test.run();
