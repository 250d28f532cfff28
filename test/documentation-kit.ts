/** The blocks of the pages that users read, and what it takes to run them. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

export interface Block {
  readonly page: string;
  /** From 1. */
  readonly line: number;
  /** Of the section that it stands in, without code quotes. */
  readonly heading: string;
  /** What stands behind the opening fence: `sh`, `json`, or nothing. */
  readonly language: string;
  readonly text: string;
  /** Why the tests do not run it: the page says so in a comment before the block. */
  readonly reason: string | undefined;
}

const MARK = /<!-- not run by the tests: (.+) -->\n+$/;

/** Every fenced block of a page. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(resolve(root, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    heading: headingBefore(text, match.index),
    language: match[1] ?? '',
    text: match[2] ?? '',
    reason: MARK.exec(text.slice(0, match.index))?.[1],
  }));
}

const headingBefore = (text: string, index: number): string =>
  [...text.slice(0, index).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1]?.replaceAll('`', '') ?? '';

/** Where this machine has a program. */
export const pathOf = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));

export const has = (program: string): boolean => pathOf(program) !== undefined;

export const pagesOf = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();

/** One message of a JSON example: a request, or the answer that the page shows. */
export type Message = { readonly [member: string]: any };

/** Stands for members that the page leaves out: `{"id":88, …}`. */
export const MORE = '…';

/** The messages of a JSON example, with or without arrows before them. @throws SyntaxError for text that is no JSON */
export function messagesOf(text: string): Message[] {
  const parts: string[] = [];
  for (const line of text.split('\n')) {
    if (/^(?:[→←] )?\{/.test(line)) parts.push(line.replace(/^[→←] /, ''));
    else if (parts.length > 0) parts.push(`${parts.pop()}\n${line}`);
  }
  return parts.map((part) => JSON.parse(part.replace(/, …\}/g, `,"${MORE}":0}`)));
}

/** True when an answer has the members and types that the page shows; times, ids and figures differ. */
export function fits(actual: unknown, shown: unknown): boolean {
  if (Array.isArray(shown))
    return (
      Array.isArray(actual) &&
      actual.length === shown.length &&
      shown.every((value, at) => fits(actual[at], value))
    );
  if (typeof shown !== 'object' || shown === null || typeof actual !== 'object' || actual === null)
    return typeof actual === typeof shown && (actual === null) === (shown === null);
  const { [MORE]: more, ...members } = shown as Message;
  const isWhole = more !== undefined || Object.keys(actual).every((name) => name in members);
  return (
    isWhole && Object.entries(members).every(([name, value]) => fits((actual as any)[name], value))
  );
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a block as a script that ends with the first failure. */
export function shell(
  script: string,
  { cwd, env = {}, args = [] }: { cwd: string; env?: Record<string, string>; args?: string[] },
): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn('bash', ['-eu', '-o', 'pipefail', ...args, '-c', script], {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', fail);
    child.on('close', (code) => done({ code, output }));
  });
}
