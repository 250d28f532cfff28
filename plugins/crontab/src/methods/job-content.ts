import { type Principal, RpcError, Type } from '@svc/plugin-sdk';
import { checkTask } from '@svc/plugin-task/api';
import { CronError, parseCron } from '../cron/parse.ts';
import { type CronType, type JobType, jobTypeOf } from '../job-type.ts';
import { checkName } from '../names.ts';
import type { JobRow } from '../store/jobs.ts';

export const Name = Type.String({
  description: 'Unique; 1 to 128 characters, no "/", "\\" or control.',
});
export const Expression = Type.String({ description: 'Six or seven fields, seconds first; UTC.' });

/** The input of a method that changes a stored job. */
export interface NamedJob {
  readonly name: string;
  /** The row that the access check found. */
  found?: JobRow;
}

/** The input of a method that writes expression and type. */
export interface JobContent extends NamedJob {
  readonly cron_expression: string;
  readonly type: JobType;
}

interface Given {
  readonly name: string;
  readonly cron_expression: string;
  readonly cron_type: CronType;
}

/** Returns what to store as the owner of a job that this caller writes. */
export const ownerOf = (caller: Principal): string | null => (caller.super ? null : caller.id);

/** Characters of the texts of one job: writing longer ones as JSON would hold the event loop. */
const MOST_LENGTH = 4 * 2 ** 20;

/** Returns the length of all texts in a value, names included. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  let length = 0;
  if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) length += name.length + lengthOf(part);
  return length;
}

/** @throws RpcError -32602, 108 */
export function contentOf({ name, cron_expression, cron_type }: Given): JobContent {
  if (lengthOf(cron_type) > MOST_LENGTH)
    throw RpcError.params(
      `cron_type: its texts have more than ${MOST_LENGTH} characters together; keep what is long in a store, and name it`,
    );
  const type = jobTypeOf(cron_type);
  checkName(name);
  if (type.kind === 'agent') checkTask(type.task);
  return { name, cron_expression, type };
}

/** @throws RpcError 101 */
export function checkExpression({ cron_expression }: JobContent): void {
  try {
    parseCron(cron_expression);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    throw RpcError.parse(`Invalid cron expression: ${error.message}`);
  }
}
