/** The rules between packages (CONTRIBUTING.md, "Seven rules"), checked on the sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const test = suite('boundaries');

interface Source {
  readonly path: string;
  readonly text: string;
}

interface Package {
  readonly folder: string;
  readonly name: string;
  readonly exports: string[];
  readonly dependencies: string[];
  readonly sources: Source[];
}

function sourcesOf(folder: string): Source[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs|js)$/.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }));
}

function readPackage(folder: string): Package {
  const json = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return {
    folder: relative(root, folder),
    name: json.name,
    exports: Object.keys(json.exports ?? {}),
    dependencies: Object.keys({ ...json.dependencies, ...json.optionalDependencies }),
    sources: sourcesOf(join(folder, 'src')),
  };
}

const folders = (parent: string) =>
  readdirSync(join(root, parent))
    .map((name) => join(root, parent, name))
    .filter((folder) => existsSync(join(folder, 'package.json')));

const plugins = folders('plugins').map(readPackage);
const kernel = withoutTestingKit(readPackage(join(root, 'kernel')));
const server = readPackage(join(root, 'server'));
const sdk = readPackage(join(root, 'plugin-sdk'));
const agent = readPackage(join(root, 'agent'));
const clients = ['client', 'cli'].map((name) => readPackage(join(root, name)));
const packages = [sdk, kernel, server, ...plugins, agent, ...clients];

function withoutTestingKit(found: Package): Package {
  return { ...found, sources: found.sources.filter(({ path }) => !path.endsWith('testing.ts')) };
}

/** Module specifiers of static and dynamic imports and re-exports. */
function importsOf({ text }: Source): string[] {
  const pattern = /[}\w*]\s+from '([^']+)'|\bimport\(\s*'([^']+)'|^import '([^']+)'/gm;
  return [...text.matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/** `@scope/name/entry` → `@scope/name`. */
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Namespaces that plugins declare, and the methods they register. */
const namespaces = plugins.flatMap(({ sources }) =>
  sources.flatMap(({ text }) => {
    const list = /\bnamespaces:\s*\[([^\]]*)\]/.exec(text)?.[1] ?? '';
    return [...list.matchAll(/'([^']+)'/g)].map((match) => match[1]!);
  }),
);
const methodNames = plugins.flatMap(({ sources }) =>
  sources.flatMap(({ text }) =>
    [...text.matchAll(/\badd(?:Subscription)?\(\s*'([^']+_[^']+)'/g)].map((match) => match[1]!),
  ),
);

test('the kernel spells neither a method nor the prefix of a namespace', () => {
  for (const name of ['token', 'agent-uuid']) assert.ok(namespaces.includes(name), name);
  assert.ok(methodNames.includes('token_get'), 'method names are found in the sources');
  const words = [...methodNames, ...namespaces.map((name) => `${name}_`)];
  const quoted = new RegExp(`['"\`](?:${words.join('|')})['"\`]`);
  const found = kernel.sources.filter(({ text }) => quoted.test(text)).map(({ path }) => path);
  assert.equal(found, []);
});

test('the kernel names no database and no library of one', () => {
  const word = /sqlite|postgres|knex|\bpg\b|dialect/i;
  const found = kernel.sources.filter(({ text }) => word.test(text)).map(({ path }) => path);
  assert.equal(found, []);
});

/** Lines that say something to the machine: neither blank nor comment. */
const codeLines = (text: string): number =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)).length;

/**
 * Lines of code that the rooms may have. The plan was 2,800 for the kernel, without the reasons of wrong parameters, 1,600 for
 * the server, without warnings about the configuration, and 1,900 for the SDK. `doctor` has lines of its own.
 */
const budgets = [
  ['kernel', kernel, 3200],
  ['server', server, 1866],
  ['doctor', server, 474],
  ['plugin-sdk', sdk, 2365],
] as const;

const DOCTOR = /server.src.doctor/;

for (const [name, { sources }, most] of budgets) {
  test(`${name} stays within ${most} lines of code`, () => {
    const lines = sources
      .filter(({ path }) => name !== 'server' || !/testing|fake-clock/.test(path))
      .filter(({ path }) => sources !== server.sources || DOCTOR.test(path) === (name === 'doctor'))
      .reduce((sum, { text }) => sum + codeLines(text), 0);
    assert.ok(lines > 0 && lines <= most, `${lines} lines of ${most}`);
  });
}

test('no source file that is written by hand is longer than 300 lines', () => {
  const long = packages
    .flatMap(({ sources }) => sources)
    .filter(({ text }) => !text.startsWith('// Generated by '))
    .filter(({ text }) => text.split('\n').length - 1 > 300);
  assert.equal(
    long.map(({ path }) => path),
    [],
  );
});

test('a plugin imports the SDK, other plugins through /api, and its own dependencies', () => {
  const findings: string[] = [];
  for (const plugin of plugins) {
    for (const source of plugin.sources) {
      for (const specifier of importsOf(source)) {
        const reason = forbidden(plugin, source, specifier);
        if (reason) findings.push(`${source.path}: '${specifier}' ${reason}`);
      }
    }
  }
  assert.equal(findings, []);
});

function forbidden(plugin: Package, source: Source, specifier: string): string | undefined {
  if (specifier.startsWith('node:')) return undefined;
  if (specifier.startsWith('.')) {
    const target = resolve(root, dirname(source.path), specifier);
    return target.startsWith(join(root, plugin.folder) + sep) ? undefined : 'leaves the package';
  }
  const name = packageOf(specifier);
  if (!plugin.dependencies.includes(name)) return 'is not among its dependencies';
  if (name === kernel.name) return 'is the kernel';
  const isPlugin = plugins.some((other) => other.name === name);
  return isPlugin && specifier !== `${name}/api` ? 'is not an /api entry' : undefined;
}

test('only egress sends requests: what the server opens for a caller has one way out', () => {
  const http = /import \{[^}]*\b(?:request|get|Agent)\b[^}]*\} from 'node:https?'/;
  const sockets =
    /import \{[^}]*\b(?:connect|createConnection|Socket)\b[^}]*\} from 'node:(?:net|tls)'/;
  const fetched = /(?:await|return|=|=>) fetch\(/;
  const found = plugins
    .flatMap(({ sources }) => sources)
    .filter(({ text }) => [http, sockets, fetched].some((pattern) => pattern.test(text)));
  assert.equal(
    found.map(({ path }) => path),
    [join('plugins', 'egress', 'src', 'guard.ts')],
  );
});

test('only the kernel listens, and metrics on an address of its own', () => {
  const listens = /import \{[^}]*\bcreateServer\b[^}]*\} from 'node:(?:https?|net|tls)'/;
  const found = plugins.flatMap(({ sources }) => sources).filter(({ text }) => listens.test(text));
  assert.equal(
    found.map(({ path }) => path),
    [join('plugins', 'metrics', 'src', 'listener.ts')],
  );
});

test('the kernel and the SDK import no plugin', () => {
  const names = new Set(plugins.map(({ name }) => name));
  const found = [sdk, kernel].flatMap(({ sources }) =>
    sources.filter((source) => importsOf(source).some((name) => names.has(packageOf(name)))),
  );
  assert.equal(
    found.map(({ path }) => path),
    [],
  );
});

test('packages do not depend on each other in a circle', () => {
  const graph = new Map(packages.map(({ name, dependencies }) => [name, dependencies]));
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    assert.not(path.includes(name), `circle: ${[...path, name].join(' → ')}`);
    if (done.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  assert.is.not(done.size, 0);
});

test('files of one package do not import each other in a circle', () => {
  for (const { sources } of packages) {
    const graph = new Map(sources.map((source) => [source.path, valueImports(source)]));
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      assert.not(trail.includes(path), `circle: ${[...trail, path].join(' → ')}`);
      if (done.has(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
  }
});

/** Relative imports that exist at run time: type-only ones may go both ways. */
function valueImports({ path, text }: Source): string[] {
  const pattern = /^(?:import|export)\s+(?!type\b)[^;]*?from\s*'(\.[^']+)'/gm;
  return [...text.matchAll(pattern)].map((match) => join(dirname(path), match[1]!));
}

test('every package carries the version of the root', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { folder } of packages) {
    const own = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    assert.is(own.version, version, folder);
  }
});

test('a plugin states the version of its package', () => {
  for (const { folder, sources } of plugins) {
    const { version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const index = sources.find(({ path }) => path.endsWith(`src${sep}index.ts`));
    const stated = /\bversion:\s*'([^']+)'/.exec(index?.text ?? '')?.[1];
    assert.is(stated, version, folder);
  }
});

test.run();
