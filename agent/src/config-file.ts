import { randomUUID } from 'node:crypto';
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError } from 'smol-toml';
import { type AgentConfig, ConfigError, validate } from './config.ts';
import { checkChange, type Written } from './config-change.ts';

/** A line `agent_uuid = "auto_gen"`, with any quotes. */
const AUTO_GEN = /^([ \t]*(?:agent_uuid|"agent_uuid"|'agent_uuid')[ \t]*=[ \t]*)(["'])auto_gen\2/gm;

/**
 * Reads and checks the configuration. `auto_gen` is replaced in the file by a fresh UUID (clients.md §2.3).
 * @throws ConfigError naming the key, or line and column
 */
export async function loadConfig(path: string): Promise<AgentConfig> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`cannot read ${path}: ${error.code ?? error.message}`);
  });
  const settled = settle(text, randomUUID());
  const config = validate(parseToml(settled));
  if (settled !== text) await replaceFile(path, settled);
  return config;
}

/** Characters of a configuration that a server sends. */
const LONGEST = 262_144;

/**
 * The text of a server as it may be written into the file: with this UUID in place of `auto_gen`.
 * @throws ConfigError when the agent could not start with it
 * @throws Error when it changes what only the file on the machine may change
 */
export async function checkedConfig(path: string, text: string, uuid: string): Promise<string> {
  if (text.length > LONGEST) throw new ConfigError(`longer than ${LONGEST} characters`);
  const settled = settle(text, uuid);
  const after = readWritten(settled);
  checkChange(readWritten(settle(await readFile(path, 'utf8'), uuid)), after);
  return settled;
}

function readWritten(text: string): Written {
  const table = parseToml(text);
  return { table, config: validate(table) };
}

const settle = (text: string, uuid: string): string =>
  parseToml(text)['agent_uuid'] === 'auto_gen' ? withUuid(text, uuid) : text;

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Only the first line: the others quote the file, which holds tokens.
    const [reason = ''] = error.message.split('\n');
    throw new ConfigError(`line ${error.line}, column ${error.column}: ${reason}`);
  }
}

/** The text with the UUID in place of `auto_gen`, everything else untouched. */
export function withUuid(text: string, uuid: string): string {
  const wanted = { ...parse(text), agent_uuid: uuid };
  for (const match of text.matchAll(AUTO_GEN)) {
    const [whole, head = ''] = match;
    const changed = `${text.slice(0, match.index)}${head}"${uuid}"${text.slice(match.index + whole.length)}`;
    // The same words may be part of a multi-line text or of another table: then the parsed result differs.
    if (isDeepStrictEqual({ ...parse(changed) }, wanted)) return changed;
  }
  throw new ConfigError('cannot replace agent_uuid = "auto_gen" in the file: write a UUID there');
}

/** Errors of replacing a file that can only be written, such as a file mounted into a container. */
const NOT_REPLACEABLE = new Set(['EACCES', 'EBUSY', 'EPERM', 'EROFS', 'EXDEV']);

/**
 * Replaces the whole file. Its mode is kept, links are followed, and a full disk leaves the old file.
 * @throws ConfigError when it cannot be written
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  try {
    const target = await realpath(path);
    const { mode } = await stat(target);
    await renamedOver(target, text, mode).catch((error: NodeJS.ErrnoException) => {
      if (!NOT_REPLACEABLE.has(error.code ?? '')) throw error;
      return writeFile(target, text);
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(`cannot write ${path}: ${code ?? message}`);
  }
}

async function renamedOver(target: string, text: string, mode: number): Promise<void> {
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode: mode & 0o777, flush: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
