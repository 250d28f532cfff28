import { usePoll, useServer } from '../../../frame/index.ts';
import type { Job } from '../model.ts';
import { endingsOf, failuresOf } from './endings.ts';
import { lastFirings, WITH_RUNS } from './firings.ts';

const JOB_EVERY_MS = 5_000;
const LIST_EVERY_MS = 10_000;

/** Last runs of one job, with what came of them. */
export function useRuns(job: Job) {
  const server = useServer();
  return usePoll(
    `job ${job.name}`,
    async () => {
      const [firings, endings] = await Promise.all([
        lastFirings(server, [job]),
        endingsOf(server, job),
      ]);
      return { firings: firings.get(job.name) ?? [], endings };
    },
    { every_ms: JOB_EVERY_MS },
  );
}

/** Last runs of the first jobs of a list, and what failed of them. */
export function useLastRuns(list: readonly Job[]) {
  const server = useServer();
  const some = list.slice(0, WITH_RUNS);
  const names = some.map(({ name }) => name).join('\n');
  // Runs and failures are read together: a run whose failure is not known yet would look fine.
  const { data } = usePoll(
    `runs ${names}`,
    async () => {
      const firings = await lastFirings(server, some);
      return { firings, failures: await failuresOf(server, some, firings) };
    },
    { every_ms: LIST_EVERY_MS },
  );
  return (name: string) => ({
    firings: data?.firings.get(name),
    endings: data?.failures.get(name),
  });
}
