import { type Clock, type Counting, RpcError } from '@svc/plugin-sdk';
import type { Outgoing } from '../api.ts';
import { TEXTS } from '../held.ts';
import type { OutboxStore } from '../store/outbox.ts';

/** Texts of tokens that may wait on one channel, and those of one token among them; the Super Token has as much room as all tokens. */
const MOST_OF_CHANNEL = 500;
const MOST_OF_OWNER = 250;

/** Adds a text, unless too many of them wait. One whose batch is there adds nothing. @throws RpcError 103, 108 */
export async function addText(
  row: Outgoing,
  owner: string | null,
  parts: { readonly clock: Clock; readonly counting: Counting; readonly outbox: OutboxStore },
): Promise<void> {
  const { clock, counting, outbox } = parts;
  const { channel, batch } = row;
  await counting.within({ kind: TEXTS, owner }, async (trx) => {
    const { all, own } = await outbox.texts(channel, owner ?? '', trx);
    const most = owner === null ? MOST_OF_CHANNEL : MOST_OF_OWNER;
    const isFull = all >= MOST_OF_CHANNEL || own >= most;
    if (isFull && (await outbox.idOf(channel, batch, trx)) === undefined) {
      const said = own >= most ? `${own} texts of this caller` : `${all} texts`;
      throw RpcError.invalid(
        `${said} wait on this channel: wait until some are sent (at most ${MOST_OF_CHANNEL} of all tokens, ${MOST_OF_OWNER} of one)`,
      );
    }
    await outbox.add(trx, [row], clock.now(), owner ?? '');
  });
}
