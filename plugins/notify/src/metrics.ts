import type { Family } from '@svc/plugin-metrics/api';
import type { Outcome } from './delivery/index.ts';
import type { Depth } from './store/cleaning.ts';

/** Counts of tries by kind of channel and outcome. */
export class SendCounts {
  readonly #counts = new Map<string, { kind: string; outcome: string; value: number }>();

  count(kind: string, outcome: Outcome['kind']): void {
    const key = `${kind} ${outcome}`;
    const found = this.#counts.get(key) ?? { kind, outcome, value: 0 };
    found.value++;
    this.#counts.set(key, found);
  }

  *read() {
    for (const { value, ...labels } of this.#counts.values()) yield { labels, value };
  }
}

export const families = (
  counts: SendCounts,
  depth: () => Depth,
  now: () => number,
): readonly Family[] => [
  {
    name: 'notify_sends',
    type: 'counter',
    help: 'Tries to send a message, by kind of channel and outcome.',
    read: () => counts.read(),
  },
  {
    name: 'notify_waiting',
    type: 'gauge',
    help: 'Messages in the outbox, on the server that sends.',
    read: () => [{ value: depth().waiting }],
  },
  {
    name: 'notify_oldest_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Age of the oldest message in the outbox, on the server that sends.',
    read() {
      const { oldest } = depth();
      return [{ value: oldest === null ? 0 : Math.max(0, now() - oldest) / 1_000 }];
    },
  },
];
