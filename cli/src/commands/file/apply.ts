import { isDeepStrictEqual } from 'node:util';
import { Complaint } from '../../io.ts';
import type { Session } from '../../session.ts';
import { shown } from '../../text.ts';
import type { Own } from '../flags.ts';
import { dryRun } from './dry-run.ts';
import type { Part } from './part.ts';
import { PARTS } from './parts.ts';
import { fileAt } from './read.ts';
import { type Item, reasonOf, type Step } from './step.ts';

/** Options of `apply`. */
export const APPLY_TAKES: readonly Own[] = ['dryRun', 'prune', 'secrets'];

/** `svc alerts apply FILE`, `svc monitors apply FILE`: makes what the server has that of each list of the file. A second time nothing changes, but for secrets with `--secrets`. */
export async function applyFile(session: Session, path: string): Promise<void> {
  const file = await fileAt(session, path);
  const steps: Step[] = [];
  const removals: Step[] = [];
  let same = 0;
  let unsent = 0;
  for (const [name, part] of Object.entries(PARTS)) {
    if (!(name in file)) continue;
    const present = new Map((await part.list(session)).map((item) => [item.name, item]));
    const given = file[name] as readonly Item[];
    const wanted = part.ordered?.(given) ?? given;
    for (const item of wanted) {
      const step = stepFor(part, item, present.get(item.name), session.flags.secrets);
      if (step) steps.push(step);
      else same++;
      if (!step && secretsOf(item).length > 0) unsent++;
    }
    const names = new Set(wanted.map((item) => item.name));
    for (const item of present.values())
      if (!names.has(item.name) && !part.stays?.(item) && session.flags.prune)
        removals.unshift({
          title: `${part.word} ${item.name}`,
          text: `- ${part.word} ${item.name}`,
          call: part.remove(item.name),
        });
  }
  const all = [...steps, ...removals];
  if (session.flags.dryRun) await dryRun(session, all);
  for (const [made, step] of all.entries()) {
    const emptied = session.flags.dryRun
      ? ''
      : await change(session, step, `${made} of ${all.length}`);
    session.print(`${shown(step.text)}\n${emptied}`);
  }
  const done = session.flags.dryRun ? 'would change' : 'changed';
  const left = unsent === 0 ? '' : `; secrets of ${unsent} left as they are: --secrets writes them`;
  session.print(`${all.length} ${done}, ${same} as in the file${left}\n`);
}

/**
 * Makes one change. @returns a line about secrets that the change emptied; empty: none
 * @throws Complaint that names the item, and how many changes are made already
 */
async function change(session: Session, { title, call }: Step, made: string): Promise<string> {
  try {
    const answer = await session.anyMethod.call(call[0], call[1] as never);
    const { emptied = [] } = (answer ?? {}) as { emptied?: readonly string[] };
    return emptied.length === 0
      ? ''
      : `    emptied, as others could read them now: ${emptied.join(', ')}\n`;
  } catch (error) {
    throw new Complaint(`${title}: ${reasonOf(error)} (${made} changes were made before)`);
  }
}

const secretsOf = (item: Item): string[] => Object.keys((item['secret'] ?? {}) as object);

/** Returns the change that an item asks for; undefined: none. The server tells no secret: whether one is another, nobody knows. */
function stepFor(
  part: Part,
  item: Item,
  before: Item | undefined,
  writesSecrets: boolean,
): Step | undefined {
  const title = `${part.word} ${item.name}`;
  if (!before) return { title, text: `+ ${title}`, call: part.create(item) };
  const normal = part.normal ?? ((one: Item) => one);
  const whole: Item = { ...part.defaults, ...normal(item) };
  const stored = normal(before);
  const lines = Object.keys(part.defaults).flatMap((name) => {
    const [old, now] = [stored[name] ?? part.defaults[name], whole[name]];
    if (isDeepStrictEqual(old, now)) return [];
    if (part.fixed.includes(name))
      throw new Complaint(`${title}: its ${name} cannot change; give it another name`);
    return [`    ${name}: ${JSON.stringify(old)} → ${JSON.stringify(now)}`];
  });
  const secrets = secretsOf(item);
  const isSecretMissing = secrets.some(
    (name) => !(before['secret'] as Record<string, { set: boolean }> | undefined)?.[name]?.set,
  );
  const isWritten = secrets.length > 0 && (writesSecrets || isSecretMissing);
  if (lines.length === 0 && !isWritten) return undefined;
  // A change brings all of an item.
  if (secrets.length > 0) lines.push(`    secret written: ${secrets.join(', ')}`);
  // Members that the file leaves out go back to their defaults.
  return { title, text: [`~ ${title}`, ...lines].join('\n'), call: part.update(whole) };
}
