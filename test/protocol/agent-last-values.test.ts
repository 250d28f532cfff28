// agent.md §9.1: the cache of last values never differs from the table once everything has settled.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type { Filter } from '../../plugins/agent/src/conditions.ts';
import type { Row } from '../../plugins/agent/src/kinds.ts';
import { LastValues } from '../../plugins/agent/src/last-values.ts';
import { suite } from '../runner/suite.ts';

const AGENTS = [1, 2];
const open = { from: undefined, to: undefined };

const step = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), id: fc.constantFrom(...AGENTS) }),
  fc.record({
    kind: fc.constant('delete' as const),
    id: fc.constantFrom(undefined, ...AGENTS),
    from: fc.nat(12),
  }),
  fc.record({ kind: fc.constant('read' as const), ids: fc.subarray(AGENTS, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('forget' as const), id: fc.constantFrom(undefined, ...AGENTS) }),
);

/** Columns of the rows here, and what rows of a kind with texts have. */
const WIDTHS = [4, 0];
/** Not every number has the exact form of a double, and some are not told. */
const values = fc.constantFrom<Row[number]>(0.5, null, 2n ** 60n, -1);

const test = suite('agent: last values');

test('any interleaving of reports, deletes, reads and invalidations ends in what the table holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 14 }),
      fc.scheduler(),
      fc.constantFrom(...WIDTHS),
      fc.infiniteStream(values),
      async (steps, scheduler, width, value) => {
        const table = new Set<Row>();
        /** Rows whose delete has been answered. */
        const gone = new Set<Row[number]>();
        const newestOf = (id: number): Row | undefined =>
          [...table]
            .filter(([agent]) => agent === id)
            .sort((a, b) => Number(b[1]) - Number(a[1]))[0];
        const turn = (label: string) => scheduler.schedule(Promise.resolve(), label);
        const last = new LastValues(async (ids) => {
          await turn('query sent');
          const found = ids.map((id) => [id, newestOf(id)] as const);
          await turn('query answered');
          return new Map(found.filter((pair): pair is [number, Row] => pair[1] !== undefined));
        }, width);

        const append = async (id: number, time: number) => {
          const row: Row = [id, time, 0, value.next().value];
          const { epoch } = last;
          await turn('append');
          table.add(row);
          await turn('committed');
          last.stored(row, epoch);
        };
        const remove = async (id: number | undefined, from: number) => {
          await turn('delete');
          const doomed = [...table].filter(
            ([agent, time]) => (id === undefined || agent === id) && Number(time) >= from,
          );
          for (const row of doomed) table.delete(row);
          await turn('deleted');
          const filter: Filter = {
            uuids: [],
            timestamp: { from, to: undefined },
            storage: open,
            limit: undefined,
          };
          last.deleted(filter, id);
          for (const row of doomed) gone.add(row[1] as number);
        };
        const read = async (ids: number[]) => {
          await turn('read');
          const before = new Set(gone);
          for (const row of await last.get(ids)) {
            assert.not.ok(
              row && before.has(row[1] as number),
              'a read after a delete shows the deleted row',
            );
          }
        };

        const running = steps.map((one, index) => {
          if (one.kind === 'append') return append(one.id, index);
          if (one.kind === 'delete') return remove(one.id, one.from);
          if (one.kind === 'read') return read(one.ids);
          return turn('forget').then(() =>
            last.forget(one.id === undefined ? undefined : [one.id]),
          );
        });
        await scheduler.waitFor(Promise.all(running));
        const settled = await scheduler.waitFor(Promise.resolve(last.get(AGENTS)));
        assert.equal(
          settled,
          AGENTS.map((id) => newestOf(id) ?? null),
        );
      },
    ),
    { numRuns: 1500 },
  );
});

test('a failed read is not remembered', async () => {
  let fail = true;
  const last = new LastValues(async (ids) => {
    if (fail) throw new Error('database away');
    return new Map(ids.map((id) => [id, [id, 5, 0]]));
  });
  const reads = [last.get([1]), last.get([1, 2])];
  for (const read of await Promise.allSettled(reads)) assert.is(read.status, 'rejected');
  fail = false;
  assert.equal(await last.get([1, 2]), [
    [1, 5, 0],
    [2, 5, 0],
  ]);
});

test('known values are given at once; requests for the same missing one share the read', async () => {
  let queries = 0;
  const last = new LastValues(async (ids) => {
    queries++;
    return new Map(ids.map((id) => [id, [id, 5, 0]]));
  });
  await Promise.all([last.get([1]), last.get([1]), last.get([1])]);
  assert.is(queries, 1);
  assert.equal(last.get([1]), [[1, 5, 0]]);
  assert.is(queries, 1);
});

test('a row stays the same object until another one comes', async () => {
  for (const width of WIDTHS) {
    const last = new LastValues(async () => new Map([[1, [1, 5, 0, null]]]), width);
    const newest = async () => (await last.get([1]))[0];
    assert.equal(await newest(), [1, 5, 0, null]);
    const first = await newest();
    last.stored([1, 4, 1, 7], last.epoch);
    assert.is(await newest(), first, 'an older report changes nothing');
    last.stored([1, 6, 1, 2n ** 60n], last.epoch);
    assert.equal(await newest(), [1, 6, 1, 2n ** 60n]);
    last.stored([1, 6, 2, 7], last.epoch);
    assert.equal(await newest(), [1, 6, 2, 7]);
    assert.equal(first, [1, 5, 0, null], 'what was given stays as it is');
  }
});

test.run();
