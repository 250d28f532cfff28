import { Complaint } from '../io.ts';
import type { Flags, Session } from '../session.ts';

/** Options that one command takes and another does not; `--server` and `--timeout` are everyone's. */
export type Own = Exclude<keyof Flags, 'server' | 'timeout_s'>;

const WRITTEN: Readonly<Record<Own, string>> = {
  json: '--json',
  follow: '-f',
  dryRun: '--dry-run',
  prune: '--prune',
  secrets: '--secrets',
  monitor: '--monitor',
  count: '-n',
  name: '--name',
  params: '--params',
  route: '--route',
  env: '--env',
  state: '--state',
  group: '--group',
  tag: '--tag',
  as: '--as',
};

/** Refuses options that a command would leave unread. @throws Complaint that names one, and those that it takes */
export function demandOnly({ flags }: Session, command: string, own: readonly Own[]): void {
  const unread = (Object.keys(WRITTEN) as Own[]).find(
    (name) => !own.includes(name) && flags[name] !== undefined && flags[name] !== false,
  );
  if (unread === undefined) return;
  const taken = own.length === 0 ? 'none' : own.map((name) => WRITTEN[name]).join(', ');
  throw new Complaint(`${command} does not take ${WRITTEN[unread]}; it takes: ${taken}`, 2);
}
