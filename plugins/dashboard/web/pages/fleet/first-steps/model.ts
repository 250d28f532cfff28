import { useState } from 'preact/hooks';
import {
  type Machine,
  navigate,
  type Server,
  to,
  usePoll,
  useServer,
} from '../../../frame/index.ts';
import { useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { mayAdd } from '../enrolment.ts';

/** A server with more machines is no fresh one. */
const MOST_MACHINES = 4;
const EVERY_MS = 60_000;
/** Limits that hold for all machines stand in this namespace (kv.md §5.1). */
const GLOBAL = 'global';
const LIMITS = 'database_limit_*';
const keyOf = ({ origin }: Server) => `svc-first-steps ${origin}`;
/** Key of the decision to keep the standard, on the device of the person who made it; limits that are set stand on the server. */
const standardKeyOf = ({ origin }: Server) => `svc-first-steps keep ${origin}`;

interface Step {
  /** Replaces the usual one. */
  readonly title?: string | undefined;
  readonly why: string;
  readonly isDone: boolean;
}
export type AnyStep = Step &
  (
    | { readonly id: 'add' | 'watch' | 'tell' | 'status' }
    | { readonly id: 'name'; readonly machine: Machine | undefined }
    | { readonly id: 'keep'; readonly hasGlobal: boolean; readonly onStandard: () => void }
  );

/** Decision that is kept on this device. */
function useDecision(key: string) {
  const [isMade, setMade] = useState(localStorage.getItem(key) !== null);
  const make = () => {
    localStorage.setItem(key, 'decided');
    setMade(true);
  };
  return [isMade, make] as const;
}

/** List of first steps: shown on a fresh server, until it is dismissed. */
export function useFirstSteps(machines: readonly Machine[]) {
  const [isDismissed, dismiss] = useDecision(keyOf(useServer()));
  return { isShown: !isDismissed && machines.length <= MOST_MACHINES, dismiss };
}

interface Found {
  /** Undefined: no page for this token to make, or no namespace. */
  readonly hasPage: boolean | undefined;
  readonly hasGlobal: boolean | undefined;
  readonly hasChannel: boolean | undefined;
  readonly hasMonitor: boolean | undefined;
  /** Tells whether a limit is set that holds for all machines. */
  readonly hasLimits: boolean;
  /** Time for which this server keeps its history, in a sentence. */
  readonly kept: string | undefined;
}

/** Days that a new server keeps where its file says nothing; one that an earlier version made keeps all, and warns of it. */
const STANDARD_DAYS = 14;

async function keptBy({ call }: Server): Promise<string> {
  const [text, { warnings }, { valueIn }] = await Promise.all([
    call('svc-server_read_config'),
    call('svc-server_config_warnings'),
    import('../../../parts/toml.ts'),
  ]);
  const keepsAll = warnings.some(({ key }) => key === 'retention.keep_days');
  const days = valueIn(text, 'retention', 'keep_days');
  const isStandard = days === undefined && !keepsAll;
  const budget =
    valueIn(text, 'retention', 'budget') ?? (isStandard ? t.fleet.steps.standardBudget : undefined);
  return t.fleet.steps.kept(
    Number(days ?? (keepsAll ? 0 : STANDARD_DAYS)),
    budget === 'none' ? undefined : budget?.toString(),
  );
}

/** Things that the server has already, of those that this token may make. */
function useFound() {
  const server = useServer();
  const { call, has, holds, may } = server;
  const mayCreate = has('kv') && may('kv_create', { namespace: GLOBAL });
  const mayLimit = has('retention') && may('svc-server_read_config');
  const isKnown = mayCreate !== undefined && mayLimit !== undefined;
  const asksGlobal = mayCreate === true && mayLimit === true;
  const asksPage = has('status-page') && holds('status_page', 'write');
  const asksChannel = has('notify') && has('alert') && holds('channel', 'write');
  const asksMonitor = has('monitor') && holds('monitor', 'write') && holds('monitor', 'read');
  return usePoll<Found | undefined>(
    `first steps ${isKnown} ${asksGlobal} ${asksPage} ${asksChannel} ${asksMonitor}`,
    async () => {
      if (!isKnown) return undefined;
      const [pages, namespaces, kept, channels, watched] = await Promise.all([
        asksPage ? call('status-page_list') : undefined,
        asksGlobal ? call('kv_list_all_namespace') : undefined,
        asksGlobal ? keptBy(server) : undefined,
        asksChannel ? call('channel_list') : undefined,
        asksMonitor ? call('monitor_list', { limit: 1 }) : undefined,
      ]);
      const hasGlobal = namespaces?.includes(GLOBAL);
      const namespace_key = [{ namespace: GLOBAL, key: LIMITS }];
      const limits = hasGlobal ? await call('kv_get_multi_value', { namespace_key }) : [];
      return {
        hasPage: pages && pages.length > 0,
        hasGlobal,
        hasMonitor: watched && watched.monitors.length > 0,
        hasChannel: channels && channels.length > 0,
        hasLimits: limits.some(({ value }) => value !== null),
        kept,
      };
    },
    { every_ms: EVERY_MS },
  );
}

/** Steps that this token can take; undefined: not known yet. */
export function useSteps(machines: readonly Machine[]): readonly AnyStep[] | undefined {
  const server = useServer();
  const { data: found } = useFound();
  const [keepsStandard, keepStandard] = useDecision(standardKeyOf(server));
  const unnamed = machines.find(({ given_name }) => given_name === null);
  const [first] = machines;
  const steps: AnyStep[] = [];
  const { why, nameIt } = t.fleet.steps;
  if (mayAdd(server)) steps.push({ id: 'add', why: why.add, isDone: machines.length > 1 });
  if (first && server.has('kv') && mayName(server, first))
    steps.push({
      id: 'name',
      why: why.name,
      title: unnamed && machines.length > 1 ? nameIt(unnamed.name) : undefined,
      isDone: machines.some(({ given_name }) => given_name !== null),
      machine: unnamed,
    });
  if (found?.hasGlobal !== undefined)
    steps.push({
      id: 'keep',
      why: found.kept ?? '',
      isDone: found.hasLimits || keepsStandard,
      hasGlobal: found.hasGlobal,
      onStandard: keepStandard,
    });
  if (found?.hasMonitor !== undefined)
    steps.push({ id: 'watch', why: why.watch, isDone: found.hasMonitor });
  if (found?.hasChannel !== undefined)
    steps.push({ id: 'tell', why: why.tell, isDone: found.hasChannel });
  if (found?.hasPage !== undefined)
    steps.push({ id: 'status', why: why.status, isDone: found.hasPage });
  return found && steps;
}

const mayName = ({ may }: Server, { uuid }: Machine): boolean =>
  may('kv_set_value', { namespace: uuid, key: 'metadata_name', value: '' }) === true;

/** Makes the place where the limits stand, if it is not there, and leads to them. */
export function useLimitsPlace(hasGlobal: boolean) {
  const { call } = useServer();
  return useWork(
    async () => {
      if (!hasGlobal) await call('kv_create', { namespace: GLOBAL });
    },
    () => navigate(to('server', 'retention')),
  );
}
