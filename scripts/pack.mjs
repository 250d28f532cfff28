/**
 * `node ../scripts/pack.mjs before|after`, in the folder of a package: what `npm pack` runs around its work.
 *
 * In the repository the entries of a package are its sources, which Node refuses to run below `node_modules`. What is
 * packed is built: `before` puts compiled code into `dist/` of the package and a `package.json` that names it in the
 * place of its own, `after` removes both. After an interrupted run the next one puts everything right, and so do
 * `npm start` and `npm test`.
 */
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, restorePackage } from './prepare.mjs';
import { root } from './runtime.mjs';

const folder = process.cwd();
restorePackage(folder);
if (process.argv[2] === 'before') await putBuilt();

async function putBuilt() {
  await build();
  const built = join(root, 'dist', relative(root, folder));
  cpSync(join(built, 'src'), join(folder, 'dist'), { recursive: true });
  const description = readFileSync(join(built, 'package.json'), 'utf8');
  const { files: _all, ...packed } = JSON.parse(description.replaceAll('"./src/', '"./dist/'));
  const text = `${JSON.stringify({ ...packed, files: ['dist'] }, null, 2)}\n`;
  const own = join(folder, 'package.json');
  renameSync(own, join(folder, 'package.source.json'));
  writeFileSync(own, text);
}
