import type { Span } from '@svc/plugin-sdk';
import { stringifyJson } from '@svc/plugin-sdk/json';
import type { Fields, Level, LogRecord } from '@svc/plugin-sdk/kernel';
import { isSecretName, MASK, maskText } from './mask.ts';
import { timestamp } from './time.ts';

/** Longest text of one value, in UTF-16 units: the memory ring holds whole records. */
const MAX_TEXT = 8192;
const MAX_CAUSES = 8;

/** Builds one record: secrets masked, numbers and booleans kept, everything else as text. */
export function makeRecord(
  { level, target }: { readonly level: Level; readonly target: string },
  message: string,
  fields: Fields | undefined,
  spans: readonly Span[],
): LogRecord {
  return {
    timestamp: timestamp(Date.now()),
    level: level.toUpperCase() as Uppercase<Level>,
    target,
    message: readableText(message),
    fields: fields === undefined ? {} : readableFields(level, fields),
    spans,
  };
}

function readableFields(level: Level, fields: Fields): Fields {
  const readable: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    readable[name] = hides(name, value) ? MASK : readableValue(value);
    if (value instanceof Error && level === 'error' && value.name !== 'UserError') {
      readable['stack'] ??= readableText(value.stack ?? '');
    }
  }
  return readable;
}

function readableValue(value: unknown): string | number | boolean {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'string':
      return readableText(value);
    case 'object':
      return readableText(objectText(value));
    default:
      return readableText(String(value));
  }
}

function objectText(value: object | null): string {
  try {
    const shown = masked(value, 0);
    return typeof shown === 'string' ? shown : stringifyJson(shown);
  } catch (error) {
    return `<not serialisable: ${error instanceof Error ? error.message : String(error)}>`;
  }
}

/** A copy without secrets; deep or circular parts end in a mark. */
function masked(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 16) return '…';
  if (value instanceof Error) return maskText(causes(value));
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => masked(item, depth + 1));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      hides(String(name), member) ? MASK : masked(member, depth + 1),
    ]),
  );
}

/** `message: message of the cause: …`; a cause that the text already tells is left out. */
function causes(error: Error): string {
  const texts: string[] = [];
  let at: unknown = error;
  for (let depth = 0; at !== undefined && at !== null && depth < MAX_CAUSES; depth++) {
    const text = at instanceof Error ? at.message || at.name : String(at);
    if (!texts.some((earlier) => earlier.includes(text))) texts.push(text);
    if (at instanceof AggregateError) texts.push(`[${at.errors.map(String).join('; ')}]`);
    at = at instanceof Error ? at.cause : undefined;
  }
  return texts.join(': ');
}

/** A flag such as `has_password` tells nothing. */
function hides(name: string, value: unknown): boolean {
  return isSecretName(name) && typeof value !== 'boolean' && value !== null;
}

/** Masked, and cut when it is long: a secret must not lose its end before the mask sees it. */
function readableText(text: string): string {
  const masked = maskText(text.length > 2 * MAX_TEXT ? text.slice(0, 2 * MAX_TEXT) : text);
  if (text.length <= MAX_TEXT) return masked;
  return `${masked.slice(0, MAX_TEXT)}[...${Buffer.byteLength(text)} bytes total]`;
}
