import { setImmediate as breathe } from 'node:timers/promises';
import { type Kernel, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Changes } from '../changes.ts';
import { keyOf } from '../heartbeat/key.ts';
import type { Imported, ImportedStore } from '../store/imported.ts';
import type { MonitorStore } from '../store/monitors.ts';
import { FreeNames } from './names.ts';
import { demandKey, PlannedKeys } from './planned-keys.ts';
import { isDenied, type Made, type Outcome, type Report, reasonOf, rowOf } from './report.ts';
import { type Thing, Things, thingOf, WAYS } from './things.ts';
import { type Item, type ItemType, type Plan, TYPES, type Values } from './types.ts';
import { listOf, OFF } from './values.ts';

type New = Parameters<Changes['create']>[0];

const MOST_ITEMS = 10_000;
/** Things of one turn of the event loop. */
const SLICE = 10;

export interface ImporterParts {
  readonly kernel: Pick<Kernel, 'auth' | 'call' | 'methods' | 'system'>;
  readonly changes: Changes;
  readonly monitors: MonitorStore;
  readonly imported: ImportedStore;
}

/** What one run knows of what is there, and of what it made so far. */
interface Run {
  readonly plan: Plan;
  readonly caller: Principal;
  readonly isDry: boolean;
  readonly there: ReadonlyMap<string, Thing>;
  /** Those of them that the caller may read. */
  readonly readable: ReadonlySet<Thing>;
  readonly names: Readonly<Record<ItemType, FreeNames>>;
  /** Names of monitors by the ids of their items. */
  readonly monitors: Map<string, string>;
  readonly machines: ReadonlyMap<string, string>;
  readonly keys: PlannedKeys;
}

/** Makes what a plan says, by the methods that people use, with the rights of the caller. */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #things: Things;

  constructor(parts: ImporterParts) {
    this.#parts = parts;
    this.#things = new Things(parts.kernel, parts.monitors);
  }

  /** Tells what would be made, or makes it, switched off. @throws RpcError 103, 108 */
  async run(plan: Plan, caller: Principal, isDry: boolean): Promise<Report> {
    const { imported } = this.#parts;
    if (plan.items.length > MOST_ITEMS)
      throw RpcError.invalid(`the file has more than ${MOST_ITEMS} things`);
    if (!isDry && !(await imported.hasRoom(plan.items.length)))
      throw RpcError.invalid('too much was imported: undo imports that nobody needs');
    const run = await this.#begin(plan, caller, isDry);
    const rows = [];
    for (const [at, item] of ordered(plan.items).entries()) {
      if (at % SLICE === SLICE - 1) await breathe();
      rows.push(rowOf(item, await this.#one(item, run)));
    }
    const { format, source, rewritings } = plan;
    return { format, source, rows, rewritings: rewritings.map(([from, to]) => ({ from, to })) };
  }

  async #begin(plan: Plan, caller: Principal, isDry: boolean): Promise<Run> {
    const there = await this.#thereOf(plan.source);
    const readable = await this.#things.readable(there.values(), caller);
    const { kernel, monitors } = this.#parts;
    const taken = async (type: ItemType) => {
      if (type === 'monitor') return (await monitors.list()).map(({ name }) => name);
      // Names are unique over all tokens; one that is taken is told by the method in any case.
      return [...(await this.#things.all(type, kernel.system)).values()].map(({ name }) => name);
    };
    const names: Partial<Record<ItemType, FreeNames>> = {};
    for (const type of TYPES) names[type] = new FreeNames(type, await taken(type));
    const needsMachines = plan.items.some(({ machines }) => machines !== undefined);
    const machines = needsMachines ? await this.#things.machines(caller) : new Map();
    return {
      ...{ plan, caller, isDry, there, readable, machines, monitors: new Map() },
      names: names as Run['names'],
      keys: new PlannedKeys(monitors),
    };
  }

  /** Things of a source that are still there, by the ids of their items. */
  async #thereOf(source: string): Promise<Map<string, Thing>> {
    const { imported, kernel } = this.#parts;
    const found = new Map<string, Thing>();
    const lists = new Map<ItemType, ReadonlyMap<string, Thing>>();
    for (const { item, type, thing } of await imported.of(source)) {
      if (!lists.has(type)) lists.set(type, await this.#things.all(type, kernel.system));
      const one =
        type === 'monitor'
          ? await this.#things.monitor(Number(thing))
          : lists.get(type)?.get(thing);
      if (one) found.set(item, one);
    }
    return found;
  }

  async #one(item: Item, run: Run): Promise<Made> {
    const there = run.there.get(item.id);
    if (there && !run.readable.has(there))
      return { outcome: 'not_made', as: null, notes: [HIDDEN] };
    if (there) {
      if (item.type === 'monitor') run.monitors.set(item.id, there.name);
      return { outcome: 'there', as: there.name, notes: [] };
    }
    if (!item.make) return { outcome: 'not_made', as: null, notes: [item.why ?? ''] };
    const notes = [...item.notes];
    const name = run.names[item.type].take(item.name);
    if (name !== item.name) notes.push(`it is called ${name}`);
    try {
      const body = await this.#bodyOf(item, run, notes);
      await this.#create(item, { ...body, name, enable: false }, run);
      if (item.type === 'monitor') run.monitors.set(item.id, name);
    } catch (error) {
      return { outcome: 'not_made', as: null, notes: [refusal(error, name, item.name)] };
    }
    const outcome: Outcome = notes.length > 0 ? 'differently' : 'made';
    return { outcome, as: name, notes };
  }

  /** Arguments of the method that makes an item, with the names that things have here. */
  async #bodyOf(
    { make = {}, members, monitors, machines, key }: Item,
    run: Run,
    notes: string[],
  ): Promise<Values> {
    const named = (ids: readonly string[]) => {
      const all = ids.includes('*') ? [...run.monitors.keys()] : ids;
      return all.flatMap((id) => run.monitors.get(id) ?? []);
    };
    if (members)
      return {
        ...make,
        spec: {
          ...(make['spec'] as object),
          members: demanded(named(members), 'none of its members is made'),
        },
      };
    if (monitors)
      return {
        ...make,
        scope: { monitors: demanded(named(monitors), 'none of its monitors is made') },
      };
    if (machines) return { ...make, scope: { agents: uuidsOf(machines, run, notes) } };
    if (key !== undefined) demandKey(key, notes);
    if (typeof make['address'] !== 'string') return make;
    return this.#parts.kernel.call(
      'channel_read_url',
      { url: make['address'] },
      run.caller,
    ) as Promise<Values>;
  }

  async #create(item: Item, body: Values, run: Run): Promise<void> {
    const { caller, isDry, plan } = run;
    const { imported, kernel } = this.#parts;
    const { create, as } = WAYS[item.type];
    if (!kernel.methods.has(create)) throw RpcError.invalid(`this server has no method ${create}`);
    const members = listOf((body['spec'] as Values | undefined)?.['members']);
    // The members of a group are not there before they are made.
    if (!(isDry && members.length > 0))
      await kernel.call(create, { [as]: body, dry_run: true }, caller);
    if (isDry) return run.keys.demandFree(item.key);
    const made =
      item.type === 'monitor'
        ? await this.#monitor(item, body, run)
        : await kernel.call(create, { [as]: body }, caller);
    const { thing, mark } = thingOf(item.type, made as Values);
    const off = item.notes.includes(OFF);
    await imported.put({ source: plan.source, item: item.id, type: item.type, thing, mark, off });
  }

  async #monitor({ id, key }: Item, body: Values, { caller, plan }: Run): Promise<Values> {
    const origin = {
      imported_from: `${plan.source}:${id}`,
      key: key === undefined ? undefined : keyOf(key),
    };
    return { ...(await this.#parts.changes.create(body as New, caller, false, origin)) };
  }

  /** Switches on what an import made and what was on where it came from. @throws RpcError 103 */
  switchOn(source: string, caller: Principal): Promise<Report> {
    const { imported, kernel } = this.#parts;
    return this.#each(source, async (row, one) => {
      if ((one.enable || row.off) && !(await this.#things.mayChange('write', one, caller)))
        return undefined;
      if (one.enable) return { outcome: 'there', as: one.name, notes: [] };
      if (row.off) return { outcome: 'kept', as: one.name, notes: [OFF] };
      const [method, params] = WAYS[row.type].on(one.name);
      const answer = (await kernel.call(method, params, caller)) as Values;
      // The time of a change marks a channel, whose secrets do not show; it was no change of somebody's.
      if (row.type === 'channel' && row.mark === one.mark)
        await imported.put({ ...row, mark: thingOf('channel', answer).mark });
      return { outcome: 'switched_on', as: one.name, notes: [] };
    });
  }

  /** Deletes what an import made and what nobody changed since. @throws RpcError 103 */
  undo(source: string, caller: Principal): Promise<Report> {
    return this.#each(source, async ({ item, type, mark }, one) => {
      if (one.mark !== mark)
        return (await this.#things.mayChange('delete', one, caller))
          ? { outcome: 'kept', as: one.name, notes: ['it was changed since'] }
          : undefined;
      await this.#parts.kernel.call(WAYS[type].remove, { name: one.name }, caller);
      await this.#parts.imported.remove(source, item);
      return { outcome: 'deleted', as: null, notes: [] };
    });
  }

  async #each(
    source: string,
    /** Answers undefined where the caller may not know of the thing. */
    work: (row: Imported, one: Thing) => Promise<Made | undefined>,
  ): Promise<Report> {
    const { imported } = this.#parts;
    const there = await this.#thereOf(source);
    const rows = [];
    // What was made last goes first.
    const all = (await imported.of(source)).sort(
      (a, b) => TYPES.indexOf(b.type) - TYPES.indexOf(a.type),
    );
    for (const row of all) {
      const one = there.get(row.item);
      if (!one) await imported.remove(source, row.item);
      const made = one && (await work(row, one).catch((error) => keptBy(error, one)));
      if (made && one)
        rows.push(rowOf({ id: row.item, type: row.type, name: one.name, was: '' }, made));
    }
    const [format = ''] = source.split(':');
    return { format, source, rows, rewritings: [] };
  }
}

const ordered = (items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => placeOf(a) - placeOf(b));
/** Groups come behind their members, windows behind what they are about. */
const placeOf = ({ type, members }: Item) =>
  TYPES.indexOf(type) * 2 + Number(members !== undefined);

function demanded(found: string[], why: string): string[] {
  if (found.length === 0) throw RpcError.invalid(why);
  return found;
}

function uuidsOf(names: readonly string[], { machines }: Run, notes: string[]): string[] {
  const missing = names.filter((name) => !machines.has(name));
  const found = names.flatMap((name) => machines.get(name) ?? []);
  const few = missing
    .slice(0, 5)
    .map((name) => `'${name.slice(0, 80)}'`)
    .join(', ');
  const some = `${few}${missing.length > 5 ? ` and ${missing.length - 5} others` : ''}`;
  if (found.length === 0)
    throw RpcError.invalid(`there is no machine ${some}: add it, and import again`);
  if (missing.length > 0) notes.push(`without ${some}: there is no such machine`);
  return found;
}

/** Note of a thing that is here already, for whoever may not read it. */
const HIDDEN = 'it was made before, and you may not read it';

/** Returns why a thing is not made; whoever may not make it is not told whether its name is taken. */
const refusal = (error: unknown, name: string, wanted: string): string =>
  isDenied(error) ? reasonOf(error).replaceAll(`'${name}'`, `'${wanted}'`) : reasonOf(error);

/** What became of a thing that could not be changed; undefined: the caller may not know of it. */
function keptBy(error: unknown, { name }: Thing): Made | undefined {
  const notes = [reasonOf(error)];
  return isDenied(error) ? undefined : { outcome: 'kept', as: name, notes };
}
