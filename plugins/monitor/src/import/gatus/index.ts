import { ImportFault, type Item, type Plan, type Values } from '../types.ts';
import { lineOf, listOf, membersOf, shortHash, textOf } from '../values.ts';
import { channelsOf } from './channels.ts';
import { endpointOf, externalOf } from './endpoints.ts';
import { type Env, filled } from './env.ts';
import { maintenanceOf } from './maintenance.ts';

const MOST = 5_000;

/** Returns what a configuration of Gatus holds. `env`: values for the `$NAME`s in it. @throws ImportFault */
export function readGatus(content: unknown, name: string, env: Env): Plan {
  const file = membersOf(content);
  const [endpoints, external] = [listOf(file['endpoints']), listOf(file['external-endpoints'])];
  if (endpoints.length + external.length === 0)
    throw new ImportFault('the file has neither endpoints nor external-endpoints');
  if (endpoints.length + external.length > MOST)
    throw new ImportFault(`the file has more than ${MOST} endpoints`);
  const rewritings = new Map<string, string>();
  const items = [
    ...channelsOf(file['alerting'], env),
    ...endpoints.map((one) =>
      withEnv(one, env, 'endpoint', (values, item) => endpointOf(values, item, rewritings)),
    ),
    ...external.map((one) => withEnv(one, env, 'external', externalOf)),
    ...maintenanceOf(file['maintenance']),
    ...listOf(file['suites']).slice(0, MOST).map(suite),
  ];
  return {
    format: 'gatus',
    source: `gatus:${shortHash(name)}`,
    items,
    rewritings: [...rewritings],
  };
}

/** An endpoint with the values of the environment in it; one without them is not made. */
function withEnv(
  given: unknown,
  env: Env,
  was: string,
  read: (values: Values, item: Pick<Item, 'id' | 'name' | 'type'>) => Item,
): Item {
  const missing = new Set<string>();
  const values = membersOf(filled(given, env, missing));
  const group = lineOf(values['group']);
  const name = lineOf(values['name']);
  const item = { id: `${was}:${group}_${name}`, type: 'monitor', name } as const;
  if (name === '') return { ...item, was, notes: [], why: 'it has no name' };
  if (missing.size === 0) return read(values, item);
  const why = `${[...missing].map((one) => `$${one}`).join(', ')}: there is no value for it in the environment of the command`;
  return { ...item, was, notes: [], why };
}

function suite(given: unknown, index: number): Item {
  const name = textOf(membersOf(given)['name']).slice(0, 80) || `suite ${index + 1}`;
  const why = 'a suite passes values from one call to the next, which monitors do not';
  return { id: `suite:${name}`, type: 'monitor', name, was: 'suite', notes: [], why };
}
