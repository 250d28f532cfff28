import { type Signal, signal } from '@preact/signals';
import { type Server, useServer } from '../../../frame/index.ts';

type Times = ReadonlyMap<string, number>;
const states = new WeakMap<Server, Signal<Times>>();

function stateOf(server: Server): Signal<Times> {
  const found = states.get(server) ?? signal<Times>(new Map());
  states.set(server, found);
  return found;
}

/** Tests that were taken since this page was loaded, by channel: the server counts messages alone. */
export function useTests() {
  const state = stateOf(useServer());
  return {
    at: (name: string): number | undefined => state.value.get(name),
    taken: (name: string): void => {
      state.value = new Map(state.value).set(name, Date.now());
    },
  };
}
