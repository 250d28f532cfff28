import { Audit } from '@svc/plugin-audit/api';
import type { Command } from '@svc/plugin-sdk';
import type { CommandTerminal } from '@svc/plugin-sdk/kernel';
import type { TokenStore } from '../records/store.ts';
import type { NewSuperToken } from '../records/super-token.ts';
import { superLines } from '../records/super-token.ts';

/** Question on a line of its own, without the words of the answer, which scripts look for. */
const QUESTION = 'Replace key, secret and password of root? The old ones stop working. [y/n]';

/** `roll-super-token` (configuration.md §3). A running server notices within about a second. */
export const rollCommand = (store: TokenStore, make: () => Promise<NewSuperToken>): Command => ({
  name: 'roll-super-token',
  summary: 'Replace the Super Token and the root password, and print the new ones.',
  async run(kernel, terminal) {
    if (!(await confirmed(terminal))) {
      terminal.print('Nothing was changed.');
      return;
    }
    const made = await make();
    await store.replaceSuper(made.record);
    kernel
      .useOptional(Audit)
      ?.record({ method: 'roll-super-token', target: made.record.token_key });
    for (const line of superLines(made)) terminal.print(line);
  },
});

/** Asks for y, yes, n or no in any case, again on anything else; the end of input means no. */
async function confirmed(terminal: CommandTerminal): Promise<boolean> {
  for (;;) {
    terminal.print(QUESTION);
    const answer = (await terminal.ask(''))?.trim().toLowerCase();
    if (answer === 'y' || answer === 'yes') return true;
    if (answer === undefined || answer === 'n' || answer === 'no') return false;
  }
}
