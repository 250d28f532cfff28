/** The rows of the audit, as tests read them. */
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';

export interface Row {
  chain: string;
  seq: number;
  at: number;
  token: string;
  name: string;
  method: string;
  target: string;
  address: string;
  transport: string;
  outcome: 'ok' | number;
  count: number;
}

export const rowsOf = async (app: TestApp, query: object = {}, limit = 1000): Promise<Row[]> =>
  (await app.call('audit_query', [app.superToken, query, limit])).rows;
export const keyOf = (credential: string) => credential.split(/[:|]/)[0] as string;

export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const since = Date.now(); !(await holds()); ) {
    assert.ok(Date.now() - since < 60_000, 'in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
