import { readFile, writeFile } from 'node:fs/promises';
import { type Command, UserError } from '@svc/plugin-sdk';
import type { CommandTerminal } from '@svc/plugin-sdk/kernel';
import { codeOf } from '@svc/plugin-sdk/util';
import { keyIn, shippedManifest } from '../shipped.ts';
import {
  blocksOf,
  fingerprintOf,
  freshBlock,
  keysOf,
  readBlocks,
  writeBlocks,
} from '../signing-key.ts';

const USAGE = 'use signing-key, or signing-key new, export FILE, import FILE';

/** `signing-key`: the key that signs the agent, the installer and the runtimes of this server. */
export const signingKeyCommand = (file: () => string): Command => ({
  name: 'signing-key',
  summary: 'Show, replace, export or import the key that signs what machines are given.',
  words: '[new|export|import] [FILE]',
  bare: true,
  async run(_kernel, terminal, { words: [what = 'show', other] }) {
    const path = file();
    const shipped = await shippedManifest();
    if (shipped !== undefined) return void showShipped(terminal, keyIn(shipped), what);
    const there = await readBlocks(path);
    if (what === 'show') await show(terminal, path, there);
    else if (what === 'new') await replace(terminal, path, [freshBlock(), ...(there ?? [])]);
    else if (what === 'import') await importKeys(terminal, path, { from: needed(other), there });
    else if (what === 'export')
      await exportTo(terminal, needed(other), there ?? (await made(path)));
    else throw new UserError(`signing-key ${what}: ${USAGE}`);
  },
});

function needed(file: string | undefined): string {
  if (file === undefined) throw new UserError(USAGE);
  return file;
}

async function made(path: string): Promise<string[]> {
  const blocks = [freshBlock()];
  await writeBlocks(path, blocks);
  return blocks;
}

/** Shows the key of a package, whose private half stays where the package was made. */
function showShipped(terminal: CommandTerminal, publicKey: string, what: string): void {
  if (what !== 'show')
    throw new UserError(
      'this package was signed when it was made: its server has no key of its own',
    );
  terminal.print(fingerprintOf(publicKey));
  terminal.progress('This package was signed with this key when it was made.\n');
}

async function show(terminal: CommandTerminal, path: string, there: string[] | undefined) {
  const [key, ...others] = keysOf(there ?? (await made(path)));
  const publicKey = key?.publicKey ?? '';
  terminal.print(fingerprintOf(publicKey));
  const more = others.length === 0 ? '' : ` ${earlier(others.length)}, too.`;
  terminal.progress(`The key in ${path} signs what machines are given.${more} Its public half:

-----BEGIN PUBLIC KEY-----
${publicKey}
-----END PUBLIC KEY-----

With these three lines in FILE, this prints what stands above behind sha256//:
  openssl pkey -pubin -in FILE -outform DER | openssl dgst -sha256 -binary | openssl base64
`);
}

/** Replaces the key. Machines that trust the old one learn the new one with their next update, which both have signed. */
async function replace(terminal: CommandTerminal, path: string, blocks: readonly string[]) {
  await writeBlocks(path, blocks);
  const [key] = keysOf(blocks.slice(0, 1));
  terminal.print(fingerprintOf(key?.publicKey ?? ''));
  terminal.progress(
    blocks.length === 1
      ? `It signs what machines are given from now on; a running server takes it at once.\n`
      : `It signs from now on, in a running server too. ${earlier(blocks.length - 1)}, too, so that machines learn it with their next update. Servers of the same fleet take the same file: signing-key export, import.\n`,
  );
}

const earlier = (count: number): string =>
  count === 1 ? 'The earlier key signs' : `${count} earlier keys sign`;

/** Puts the keys of the file first; those that signed here before go on signing, too. */
async function importKeys(
  terminal: CommandTerminal,
  path: string,
  { from, there = [] }: { from: string; there: string[] | undefined },
) {
  const text = await readFile(from, 'utf8').catch((error) => {
    throw new UserError(`${from} cannot be read: ${codeOf(error)}`, { cause: error });
  });
  const blocks = blocksOf(text, from);
  await replace(terminal, path, [...blocks, ...there.filter((one) => !blocks.includes(one))]);
}

async function exportTo(terminal: CommandTerminal, file: string, blocks: readonly string[]) {
  const text = blocks.map((block) => `${block}\n`).join('');
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((error) => {
    const why =
      codeOf(error) === 'EEXIST' ? 'is there already' : `cannot be written: ${codeOf(error)}`;
    throw new UserError(`${file} ${why}`, { cause: error });
  });
  terminal.print(
    `${file}: ${blocks.length} private ${blocks.length === 1 ? 'key' : 'keys'}. Carry it as you carry passwords, and delete it then.`,
  );
}
