import { type Command, UserError } from '@svc/plugin-sdk';
import { BEGIN, type Cursor, exportPage } from './export.ts';
import { fingerprintOf } from './key.ts';
import type { Store } from './store.ts';
import { type Own, verifyAll } from './verify.ts';

/** `audit-export`: every line of the audit on standard output. Other output does not begin with a brace. */
export const exportCommand = (store: Store): Command => ({
  name: 'audit-export',
  summary: 'Print the audit as lines of JSON, which can be verified elsewhere.',
  async run(_kernel, terminal) {
    for (let cursor: Cursor | undefined = BEGIN; cursor; ) {
      const page = await exportPage(store, cursor);
      for (const line of page.lines) terminal.print(line);
      cursor = page.next;
    }
  },
});

/** `audit-accept`: after a restore, a power cut, a lost file. */
export const acceptCommand = (accept: () => Promise<string[]>): Command => ({
  name: 'audit-accept',
  summary: 'Accept that rows of the audit are gone, as after a restore; the audit says so.',
  async run(_kernel, terminal) {
    const accepted = await accept();
    for (const text of accepted) terminal.print(`accepted: ${text}`);
    if (accepted.length === 0) terminal.print('Nothing is missing by the file beside audit.key.');
  },
});

/** `audit-verify`: fails when a chain was changed. */
export const verifyCommand = (store: Store, own: () => Promise<Own | undefined>): Command => ({
  name: 'audit-verify',
  summary: 'Check that no row of the audit was changed, removed or added.',
  async run({ signal }, terminal) {
    let found = 0;
    for (const chain of await verifyAll(store, await own(), signal)) {
      const { problems, rows, first_seq, last_seq } = chain;
      const key = `key ${fingerprintOf(chain.public_key)}${chain.own ? ', of this server' : ''}`;
      terminal.print(
        `chain ${chain.chain} of server ${chain.server_uuid} (${key}): ${rows} rows, ${first_seq} to ${last_seq}`,
      );
      for (const { seq, problem } of problems) terminal.print(`  row ${seq}: ${problem}`);
      found += problems.length;
    }
    if (found > 0) throw new UserError(`the audit was changed: ${found} problems`);
    terminal.print('The audit is complete as far as its checkpoints show.');
  },
});
