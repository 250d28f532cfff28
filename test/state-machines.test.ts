/** The state machines of the plugins: their READMEs show the diagrams that the tables in the code hold. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import * as connection from '../plugins/db/src/connection.ts';
import * as handle from '../plugins/db/src/handle.ts';
import * as delivery from '../plugins/task/src/delivery.ts';
import * as channel from '../plugins/terminal/src/relay-peer.ts';
import * as session from '../plugins/terminal/src/session.ts';
import { suite } from './runner/suite.ts';

type Transitions = { readonly [state: string]: { readonly [event: string]: string } };

const test = suite('state machines');

// biome-ignore format: one machine per line
const machines: [name: string, readme: string, transitions: Transitions, next: (state: any, event: any) => string][] = [
  ['delivery of a task', 'plugins/task/README.md', delivery.transitions, delivery.next],
  ['handle of a database', 'plugins/db/README.md', handle.transitions, handle.next],
  ['connection of a database', 'plugins/db/README.md', connection.transitions, connection.next],
  ['session of a terminal', 'plugins/terminal/README.md', session.transitions, session.next],
  ['channel between two servers', 'plugins/terminal/README.md', channel.transitions, channel.next],
];

/** The edges of all diagrams of a README: `state --> state: event`. */
function edgesOf(readme: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '..', readme), 'utf8');
  return [...text.matchAll(/^ {2}(\w+ --> \w+: \w+)$/gm)].map(([, edge]) => edge!);
}

const edges = (table: Transitions) =>
  Object.entries(table).flatMap(([from, events]) =>
    Object.entries(events).map(([event, to]) => `${from} --> ${to}: ${event}`),
  );

for (const [name, readme, table, after] of machines) {
  test(`${name}: the diagram has exactly the transitions of the code`, () => {
    const shown = edgesOf(readme);
    for (const edge of edges(table)) assert.ok(shown.includes(edge), `${readme} lacks ${edge}`);
    const known = machines
      .filter((other) => other[1] === readme)
      .flatMap(([, , one]) => edges(one));
    for (const edge of shown) assert.ok(known.includes(edge), `the code lacks ${edge}`);
  });

  test(`${name}: an event that a state does not name changes nothing`, () => {
    for (const [state, events] of Object.entries(table)) {
      const all = new Set(Object.values(table).flatMap(Object.keys));
      for (const event of all) assert.is(after(state, event), events[event] ?? state);
    }
  });

  test(`${name}: every state is reached from the first one`, () => {
    const [first] = Object.keys(table);
    const reached = new Set([first!]);
    for (const state of reached) for (const to of Object.values(table[state]!)) reached.add(to);
    assert.equal([...reached].sort(), Object.keys(table).sort());
  });
}

test.run();
