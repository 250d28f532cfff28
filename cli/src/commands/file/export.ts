import { isDeepStrictEqual } from 'node:util';
import { Document, visit } from 'yaml';
import { machineNames } from '../../machines.ts';
import type { Session } from '../../session.ts';
import { clean } from '../../text.ts';
import type { Part } from './part.ts';
import { PARTS } from './parts.ts';
import type { Item } from './step.ts';
import { writtenTimes } from './times.ts';

/** Prints lists of the server as YAML, without secrets. */
export async function exportLists(session: Session, names: readonly string[]): Promise<void> {
  const file: Record<string, unknown> = { version: 1 };
  for (const name of names) {
    const part = PARTS[name] as Part;
    const items = await part.list(session);
    file[name] = items.map((item) => writtenTimes({ name: item.name, ...changedOf(item, part) }));
  }
  if (session.flags.json) return session.printJson(file);
  const document = new Document(file, { aliasDuplicateObjects: false });
  const labels = await machineNames(session);
  visit(document, {
    Scalar(_key, node) {
      const name = labels.get(String(node.value));
      if (name !== undefined) node.comment = ` ${clean(name)}`;
    },
  });
  await session.printOn(document.toString({ lineWidth: 0 }));
}

/** Members of an item that differ from what they are without being set. */
function changedOf(item: Item, { defaults, normal }: Part) {
  const whole = normal?.(item) ?? item;
  return Object.fromEntries(
    Object.entries(defaults)
      .map(([name, value]) => [name, whole[name] ?? value, value] as const)
      .filter(([, value, default_]) => !isDeepStrictEqual(value, default_))
      .map(([name, value]) => [name, value]),
  );
}
