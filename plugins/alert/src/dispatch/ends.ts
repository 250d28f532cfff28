import type { Teller, Telling } from './teller.ts';
import { type Decision, type Due, noDecision } from './work.ts';

/** Decides how ends are told: to the channels that got the opening, while the rule's owner may use them. */
export async function tellEnds(
  key: string,
  items: readonly Due[],
  teller: Teller,
  mayTell: (due: Due) => boolean | Promise<boolean>,
): Promise<Decision> {
  const decision = noDecision();
  const batch = `closed-${items[0]?.event.id}`;
  const tellings: Telling[] = [];
  const batchesOf = ({ told }: Due) => (told && !told.isFlapping ? told.batches : []);
  const isLost = await teller.losses(items.flatMap(batchesOf));
  for (const due of items) {
    const { event, policy, rule } = due;
    const mayHear = policy.send_close && (await mayTell(due));
    const hearing = await teller.byId(mayHear ? (event.told ?? []) : [], rule);
    // A channel whose opening was dropped does not hear of the end.
    const channels = hearing.channels.filter(({ name }) => !isLost(batchesOf(due), name));
    decision.decided.push({
      id: event.id,
      batch: channels.length > 0 ? batch : null,
      ...(hearing.withheld.length > 0 && {
        detail: { ...event.detail, withheld: hearing.withheld },
      }),
    });
    if (channels.length > 0) tellings.push(endOf(due, channels));
  }
  await teller.tell(tellings, { type: 'alert.closed', batch, key }, new Map(), decision);
  const [first] = items;
  if (first && tellings.length > 0) decision.groups.set(key, first.policy.id);
  return decision;
}

function endOf({ event, alert, rule }: Due, channels: Telling['channels']): Telling {
  const { value, since, closed_at } = event.detail;
  return {
    ...{ alert, rule, channels, episode: event.episode },
    closed_at: typeof closed_at === 'number' ? closed_at : event.at,
    since: typeof since === 'number' ? since : alert.since,
    value: typeof value === 'number' ? value : null,
    ...byHand(event),
  };
}

/** Reason of an end that is no recovery: `expired`, or who closed it and why. */
function byHand({ kind, by, detail }: Due['event']): Pick<Telling, 'note' | 'closed_by'> {
  if (kind === 'expired') return { note: 'expired' };
  if (by === null) return { note: '' };
  const { note } = detail as { readonly note?: unknown };
  return { note: typeof note === 'string' ? note : '', closed_by: by };
}
