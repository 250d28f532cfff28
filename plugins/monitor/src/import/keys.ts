import type { Item, Plan, Values } from './types.ts';
import { listOf, shortHash, textOf } from './values.ts';

const LEFT_OUT = '…';
const NOTE = 'the key in its name, group, tags or note is left out';
/** A UUID, or a word of the characters that keys have, as long as the shortest key. */
const WORDS = [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, /[A-Za-z0-9_-]{10,}/g];
/** Characters of its key by which a text ends that was cut off within it. */
const LEAST = 8;

/** Returns a plan whose keys are keys only: a name, a tag or a note shows to readers, who could call for the job then. */
export function withoutKeys(plan: Plan): Plan {
  const keys = new Set<string>();
  for (const { key } of plan.items)
    for (const one of key ? [key, key.replaceAll('-', '')] : []) keys.add(one.toLowerCase());
  if (keys.size === 0) return plan;
  return { ...plan, items: plan.items.map((item, index) => cleaned(item, index + 1, keys)) };
}

function cleaned(item: Item, count: number, keys: ReadonlySet<string>): Item {
  const clean = (text: string) => hidden(text, keys, item.key);
  const named = clean(item.name);
  const name = /[\p{L}\p{N}]/u.test(named) ? named : `${item.was} ${count}`;
  const make = item.make && { ...item.make, ...shownOf(item.make, clean) };
  const isSame = named === item.name && JSON.stringify(make) === JSON.stringify(item.make);
  // An id with a key in it was made of the name.
  const id = clean(item.id) === item.id ? item.id : `${item.type}:${shortHash(item.id)}`;
  return isSame
    ? { ...item, id }
    : { ...item, id, name, notes: [...item.notes, NOTE], ...(make && { make }) };
}

/** Members that people wrote for people, as far as there are any. */
function shownOf({ group, note, tags }: Values, clean: (text: string) => string): Values {
  return {
    ...(group !== undefined && { group: clean(textOf(group)) }),
    ...(note !== undefined && { note: clean(textOf(note)) }),
    ...(tags !== undefined && { tags: listOf(tags).map((tag) => clean(textOf(tag))) }),
  };
}

/** Returns a text with a sign in place of each key. */
function hidden(text: string, keys: ReadonlySet<string>, own = ''): string {
  let left = own === '' ? text : text.replaceAll(own, LEFT_OUT);
  for (const word of WORDS)
    left = left.replace(word, (found) => (keys.has(found.toLowerCase()) ? LEFT_OUT : found));
  for (let size = own.length - 1; size >= LEAST; size--)
    if (left.endsWith(own.slice(0, size))) return `${left.slice(0, -size)}${LEFT_OUT}`;
  return left;
}
