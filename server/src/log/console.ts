import type { LogRecord } from '@svc/plugin-sdk/kernel';
import { forOneLine } from '../terminal-text.ts';

const COLOURS = { ERROR: 31, WARN: 33, INFO: 32, DEBUG: 34, TRACE: 35 } as const;
const BARE = /^[^\s"'=[\]{}\\]+$/;

/** One console line without its line end (configuration.md §5): `TIME  LEVEL target: message key=value [inner{k=v} < outer{k=v}]`. */
export function consoleLine(record: LogRecord, colours: boolean): string {
  const paint = (code: number, text: string) =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  const time = record.timestamp.replace('T', ' ');
  const level = record.level.padStart(5);
  let line = `${paint(2, time)} ${paint(COLOURS[record.level], level)} ${paint(2, `${record.target}:`)}`;
  if (record.message !== '') line += ` ${forOneLine(record.message)}`;
  for (const [name, value] of Object.entries(record.fields)) {
    line += ` ${forOneLine(name)}=${typeof value === 'string' ? quoted(value) : String(value)}`;
  }
  return record.spans.length === 0 ? line : `${line} ${paint(2, spansText(record))}`;
}

function spansText({ spans }: LogRecord): string {
  const texts = spans.map(({ name, fields }) => (fields ? `${name}{${fields}}` : name));
  return `[${forOneLine(texts.join(' < '))}]`;
}

function quoted(text: string): string {
  return forOneLine(BARE.test(text) ? text : JSON.stringify(text));
}
