import { type Signal, signal } from '@preact/signals';
import { type Server, usePoll, useServer } from '../../../frame/index.ts';

type Times = ReadonlyMap<string, number>;
const states = new WeakMap<Server, Signal<Times>>();

function stateOf(server: Server): Signal<Times> {
  const found = states.get(server) ?? signal<Times>(new Map());
  states.set(server, found);
  return found;
}

const EVERY_MS = 15_000;
/** Messages of a channel among which its last test is looked for. */
const LOOKED = 20;

/** Last test of a channel that was taken, Unix ms: of the messages that the server keeps, or made here before it was saved. */
export function useLastTest(name: string): number | undefined {
  const { call } = useServer();
  const own = useTests().at(name);
  const { data = [] } = usePoll(
    `tests of ${name}`,
    () => call('channel_outbox', { name, limit: LOOKED, state: 'sent' }),
    { every_ms: EVERY_MS },
  );
  const kept = data.filter(({ type }) => type === 'test').map(({ created_at }) => created_at);
  const all = own === undefined ? kept : [...kept, own];
  return all.length === 0 ? undefined : Math.max(...all);
}

/** Tests that were taken since this page was loaded, by channel: those of channels that were not saved yet are kept nowhere else. */
export function useTests() {
  const state = stateOf(useServer());
  return {
    at: (name: string): number | undefined => state.value.get(name),
    taken: (name: string): void => {
      state.value = new Map(state.value).set(name, Date.now());
    },
  };
}
