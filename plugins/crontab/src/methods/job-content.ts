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

/** What to store as the owner of a job that this caller writes. */
export const ownerOf = (caller: Principal): string | null => (caller.super ? null : caller.id);

/** @throws RpcError -32602, 108 */
export function contentOf({ name, cron_expression, cron_type }: Given): JobContent {
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
