import { type Methods, RpcError } from '@svc/client';
import { Complaint } from './io.ts';
import type { Session } from './session.ts';
import { clean } from './text.ts';

type Listed = Methods['agent-uuid_list']['result'][number];
type Agent = Pick<Listed, 'uuid' | 'name'> & Partial<Listed>;

/** Agent with the facts that the server lists (older servers: the name only), and the name that people use. */
export type Machine = Agent & { readonly label: string };

/** Agents of a full page of `agent-uuid_list`. */
const PAGE = 10_000;
/** Number of agents that are named where several fit. */
const SHOWN = 10;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const shortId = (uuid: string): string => uuid.slice(0, 8);

/** Every agent that may be listed, by what it is called. @throws RpcError */
export async function machines(session: Session): Promise<readonly Machine[]> {
  const order = new Intl.Collator(undefined, { numeric: true });
  const isBare = ({ uuid, label }: Machine) => label === shortId(uuid);
  return labelled((await listed(session)) ?? (await namedOnly(session))).sort(
    (a, b) => Number(isBare(a)) - Number(isBare(b)) || order.compare(a.label, b.label),
  );
}

/** Labels machines by the name that a user gave, else the host name, else the beginning of the UUID, which also tells machines apart that one text may mean. */
function labelled(agents: readonly Agent[]): Machine[] {
  const nameOf = ({ uuid, name, host_name }: Agent) => name || host_name || shortId(uuid);
  const counts = meanings(agents.map((one) => [one.uuid, nameOf(one)]));
  return agents.map((one) => {
    const [name, id] = [nameOf(one), shortId(one.uuid)];
    const isAlone = counts.get(keyOf(name)) === 1 && !UUID.test(name);
    return { ...one, label: isAlone || name === id ? name : named(name, one.uuid) };
  });
}

const named = (name: string, uuid: string) => `${name} (${shortId(uuid)})`;

/** Key of a name: UUIDs are given in any case. */
const keyOf = (name: string) => (/^[0-9a-f-]+$/i.test(name) ? name.toLowerCase() : name);

/** Counts the machines that each name may mean: those with that name, and those whose UUID begins so. */
function meanings(all: readonly (readonly [uuid: string, name: string])[]): Map<string, number> {
  const names = new Set(all.map(([, name]) => keyOf(name)));
  const lengths = new Set([...names].map((name) => name.length).filter((length) => length <= 36));
  const counts = new Map<string, number>();
  for (const [uuid, name] of all) {
    const begun = [...lengths].map((length) => uuid.slice(0, length));
    for (const text of new Set([keyOf(name), ...begun]))
      if (names.has(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** Lists agents; undefined for a server without `agent-uuid_list`. */
async function listed({ client }: Session): Promise<readonly Agent[] | undefined> {
  const all: Agent[] = [];
  for (;;) {
    const after = all.at(-1)?.uuid;
    const page = await client.call('agent-uuid_list', after ? { after } : {}).catch(lacking);
    if (!page) return undefined;
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** Lists agents with the names that dashboards store; without the right to read them, none has one. */
async function namedOnly({ client }: Session): Promise<readonly Agent[]> {
  const uuids = await client.call('agent-uuid_list_all');
  const namespace_key = uuids.map((namespace) => ({ namespace, key: 'metadata_name' }));
  const rows =
    uuids.length === 0
      ? []
      : await client.call('kv_get_multi_value', { namespace_key }).catch(refusal);
  const names = new Map((rows ?? []).map(({ namespace, value }) => [namespace, value]));
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return uuids.map((uuid) => ({ uuid, name: text(names.get(uuid)) }));
}

/** Complaint that no machine is called so. */
export class NoMachine extends Complaint {}

/** The UUID of the agent that is called so, or of the only one whose name or UUID begins so. @throws Complaint */
export const machineOf = async (session: Session, given: string): Promise<string> =>
  (await machineNamed(session, given)).uuid;

/** The agent that is called so, or the only one whose name or UUID begins so. @throws Complaint */
export async function machineNamed(
  session: Session,
  given: string,
): Promise<Pick<Machine, 'uuid' | 'label'>> {
  // A user who may not list agents may still give a whole UUID.
  const all = await machines(session).catch(refusal);
  if (!all && UUID.test(given)) return { uuid: given, label: given };
  if (!all) throw new Complaint('this credential may not list agents: give the whole UUID');
  const found = matching(all, given);
  const [machine] = found;
  if (!machine) throw new NoMachine(`no agent '${clean(given)}': svc agents lists them`);
  if (found.length > 1) throw new Complaint(ambiguous(given, found));
  return machine;
}

/** The machines that fit best. A machine chooses its host name itself, so that name takes nothing from a UUID, its beginning, or a name that a user gave. */
function matching(all: readonly Machine[], given: string): readonly Machine[] {
  const wanted = given.toLowerCase();
  if (UUID.test(given)) return all.filter(({ uuid }) => uuid === wanted);
  const begins = (text: string | null | undefined) => !!text?.toLowerCase().startsWith(wanted);
  if (all.some(({ uuid }) => begins(uuid)))
    return all.filter((one) => [one.uuid, one.label, one.host_name].some(begins));
  const isGiven = (name: string | null | undefined, uuid: string) =>
    !!name && (name === given || named(name, uuid) === given);
  for (const fits of [
    ({ name, uuid }: Machine) => isGiven(name, uuid),
    ({ name, host_name, uuid }: Machine) => !name && isGiven(host_name, uuid),
    ({ label }: Machine) => begins(label),
    // A machine that has got another name is still known by that of its host.
    ({ host_name }: Machine) => host_name === given,
  ]) {
    const found = all.filter(fits);
    if (found.length > 0) return found;
  }
  return [];
}

function ambiguous(given: string, found: readonly Machine[]): string {
  const lines = found.slice(0, SHOWN).map(({ uuid, label }) => `  ${uuid}  ${clean(label)}`);
  const more = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
  const head = `'${clean(given)}' may be one of these: give more of the name, or the UUID`;
  return [head, ...lines, ...more].join('\n');
}

/** Returns undefined for a method that this server lacks. @throws the error, when it is another one */
function lacking(error: unknown): undefined {
  if (error instanceof RpcError && error.code === -32601) return undefined;
  throw error;
}

/** Returns undefined for a right that is missing, or a plugin that this server lacks. @throws the error, when it is another one */
function refusal(error: unknown): undefined {
  if (error instanceof RpcError && error.code === 102) return undefined;
  return lacking(error);
}

/** Returns names of machines by UUID; none where the caller may not list them. */
export async function machineNames(session: Session): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map((await machines(session)).map(({ uuid, label }) => [uuid, label]));
  } catch (error) {
    if (error instanceof RpcError && error.code === DENIED) return new Map();
    throw error;
  }
}

const DENIED = 102;
