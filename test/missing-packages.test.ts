/** What `npm ci` under an older Node has left out is installed before the scripts of the project go on. */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { missing } from '../scripts/missing.mjs';
import { suite } from './runner/suite.ts';

const test = suite('missing packages');

const known = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const bundler = 'node_modules/rolldown';
const present = { [bundler]: known[bundler] };
const machines: [what: string, own: Parameters<typeof missing>[2], expected: string][] = [
  ['glibc', { os: 'linux', cpu: 'x64', libc: 'glibc' }, '@rolldown/binding-linux-x64-gnu'],
  ['musl', { os: 'linux', cpu: 'arm64', libc: 'musl' }, '@rolldown/binding-linux-arm64-musl'],
  ['a Mac', { os: 'darwin', cpu: 'arm64', libc: 'musl' }, '@rolldown/binding-darwin-arm64'],
];
for (const [what, own, expected] of machines)
  test(`the binaries that the bundler has for ${what} are missed, and no others`, () => {
    const path = `node_modules/${expected}`;
    assert.equal(missing(known, present, own), [path]);
    assert.equal(missing(known, { ...present, [path]: known[path] }, own), []);
  });

test('nothing is missing here', () => {
  const installed = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8'));
  assert.equal(missing(known, installed.packages), []);
});

test('no package of the project is left out for its engines: only binaries of other machines are optional', () => {
  const optional = Object.entries<any>(known).filter(
    ([path, { dependencies = {}, optionalDependencies = {} }]) =>
      !path.includes('node_modules/') &&
      Object.keys({ ...optionalDependencies }).some(
        (name) => !(name in dependencies) && known[`node_modules/${name}`]?.engines?.node,
      ),
  );
  assert.equal(optional, []);
});

test.run();
