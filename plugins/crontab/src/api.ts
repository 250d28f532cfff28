import { service } from '@svc/plugin-sdk';

/** One run of a script worker that a job asks for. */
export interface WorkerOrder {
  /** Name of the script worker. */
  readonly worker: string;
  /** The job's parameters as JSON text, so that numbers keep their digits. */
  readonly params: string;
}

/** Service of the plugin that runs script workers (crontab.md §3.2). Without it, runs of scripts are recorded as failed. */
export interface WorkerRuns {
  /**
   * Enqueues one pooled run with run type `cron` and the stored `env`; does not wait for its turn.
   * @returns id of the script-result row
   * @throws RpcError with the reason: unknown name, no compiled code, database
   */
  enqueueCron(order: WorkerOrder): Promise<number | bigint>;
}

export const WorkerRuns = service<WorkerRuns>('js-worker.runs');
