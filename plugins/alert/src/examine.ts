import { compile } from '@svc/conditions';
import { type Database, type Finding, finding, uncounted } from '@svc/plugin-sdk';
import { VOCABULARIES } from './evaluate/variables.ts';
import { RuleStore } from './store/rules.ts';

/** Finds rules whose conditions this version does not understand. @throws RpcError 103 */
export async function examine(db: Database): Promise<Finding[]> {
  const rules = await new RuleStore(db, uncounted(db)).all();
  const found: Finding[] = [];
  for (const { name, source, condition, clear, deleted } of rules) {
    if (deleted) continue;
    for (const text of clear === null ? [condition] : [condition, clear]) {
      const result = compile(text, VOCABULARIES[source]);
      if (!('faults' in result)) continue;
      const message = `The alert rule '${name}' does not run: ${result.faults[0]?.message}.`;
      found.push(
        finding('database', 'advice', message, 'Write its condition anew in the dashboard.'),
      );
    }
  }
  return found;
}
