import type { Entry } from '@svc/plugin-sdk/driver';
import type { SqlValue } from '@svc/plugin-sdk/sql';

const special = /[\\\n\r\t]/;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Rows in the text format of COPY, each with its id first when it has one. */
export function copyText(entries: readonly Pick<Entry, 'id' | 'row'>[]): string {
  let text = '';
  for (const { id, row } of entries) {
    if (id !== undefined) text += `${id}\t`;
    for (let column = 0; column < row.length; column++) {
      if (column > 0) text += '\t';
      text += field(row[column]);
    }
    text += '\n';
  }
  return text;
}

function field(value: SqlValue | undefined): string | number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'string') {
    return special.test(value)
      ? value.replace(/[\\\n\r\t]/g, (character) => escapes[character] as string)
      : value;
  }
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
}
