/** Texts of configurations for the tables, and the message that refuses one. */
import { UserError } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';

export const UUID = '0190b7e4-3a52-4c01-9f6e-0f5a3a1b2c3d';

/** A complete text; lines given for a table come directly under its header, top-level ones first. */
export function textWith(lines: { [table: string]: readonly string[] } = {}): string {
  const { '': top = [], database = [], ...tables } = lines;
  const own = (key: string, value: string, given: readonly string[]) =>
    given.some((line) => line.startsWith(`${key} `)) ? [] : [`${key} = ${JSON.stringify(value)}`];
  return [
    ...top,
    ...own('ws_listener', '127.0.0.1:2211', top),
    ...own('server_uuid', UUID, top),
    '[database]',
    ...database,
    ...own('database_url', 'sqlite://svc.db?mode=rwc', database),
    ...Object.entries(tables).flatMap(([name, given]) => [`[${name}]`, ...given]),
    '',
  ].join('\n');
}

/** The message of the `UserError`, or `accepted`. */
export function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    assert.instance(error, UserError);
    return (error as Error).message;
  }
  return 'accepted';
}
