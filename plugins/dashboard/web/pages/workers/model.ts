import { useSignal } from '@preact/signals';
import type { Methods, Subscriptions } from '@svc/client';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { navigate, to, useLive, usePoll, useServer, wire } from '../../frame/index.ts';
import {
  attempt,
  errorText,
  readJson,
  textToBase64,
  toast,
  undo,
  useUnsavedWarning,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { type Draft, draftOf, EXAMPLE, isSame, isSound, type Stored, wireOf } from './draft.ts';
import { type Kind, NO_REQUEST, requestOf } from './request.ts';

export type Result = Methods['js-result_query']['result'][number];

export interface Line {
  readonly name: string;
  /** ms without a run; undefined: not loaded, or not for this token. */
  readonly idle_ms: number | undefined;
  readonly runs: number;
}

/** All workers, and what the server has loaded of them. */
export function useWorkers() {
  const { call, may } = useServer();
  const list = usePoll('workers', () => call('js-worker_list_all_js_worker'), { every_ms: 15_000 });
  const mayPool = may('js-worker_get_rt_pool') === true;
  const pool = usePoll(
    `pool ${mayPool}`,
    async () => (mayPool ? (await call('js-worker_get_rt_pool')).workers : []),
    { every_ms: 5_000 },
  );
  const lineOf = (name: string): Line => {
    const found = pool.data?.find((one) => one.script_name === name);
    return { name, idle_ms: found?.idle_ms, runs: found?.active_requests ?? 0 };
  };
  const create = async (text: string) => {
    const name = text.trim();
    await call('js-worker_create', { name, js_script_base64: textToBase64(EXAMPLE) });
    navigate(to('workers', { name }));
  };
  const mayCreate = may('js-worker_create', { name: 'a', js_script_base64: 'YQ==' }) === true;
  return { list, lineOf, mayPool, create, mayCreate };
}

/** A worker as it was opened, and as it stands in the fields. */
export interface Work {
  readonly base: Stored;
  readonly draft: Draft;
}

export interface EditOptions {
  readonly name: string;
  readonly stored: Stored;
  /** Unsaved work by name: it stays while another worker is open. */
  readonly unsaved: Map<string, Work>;
}

/** A worker that is edited and deployed. */
export function useEdit({ name, stored, unsaved }: EditOptions) {
  const { call, may } = useServer();
  // The server's later answers do not move what is being edited: deploying compares with them.
  const [base, setBase] = useState(unsaved.get(name)?.base ?? stored);
  const original = useMemo(() => draftOf(base), [base]);
  const [draft, setDraft] = useState(unsaved.get(name)?.draft ?? original);
  const [newest, setNewest] = useState<Stored>();
  const [error, setError] = useState<string>();
  const [round, setRound] = useState(0);
  const isChanged = !isSame(original, draft);
  if (isChanged) unsaved.set(name, { base, draft });
  else unsaved.delete(name);
  useUnsavedWarning(isChanged);
  const mayWrite = may('js-worker_update', { name, js_script_base64: 'YQ==' }) === true;
  const canSave = mayWrite && isChanged && isSound(draft);
  const review = async () => {
    if (!canSave) return;
    setError(undefined);
    await attempt(async () => setNewest(await call('js-worker_read', { name })));
  };
  const deploy = async () => {
    try {
      await call('js-worker_update', wireOf(name, draft));
    } catch (failure) {
      setError(errorText(failure));
      throw failure;
    }
    const made = await call('js-worker_read', { name });
    setBase(made);
    setDraft(draftOf(made));
    toast(t.workers.saved(name));
  };
  const discard = () => {
    setDraft(original);
    setRound(round + 1);
  };
  return {
    base,
    draft,
    setDraft,
    /** Grows when the script changes from outside of the editor. */
    round,
    /** Reason for which the server refused the script. */
    error,
    isChanged,
    mayWrite,
    canSave,
    discard,
    review,
    /** Worker as the server has it, while the change is reviewed. */
    newest,
    endReview: () => setNewest(undefined),
    deploy,
  };
}
export type Edit = ReturnType<typeof useEdit>;

/** Deletes a worker; undefined: not for this token. */
export function useRemove(name: string): (() => Promise<void>) | undefined {
  const { call, may } = useServer();
  if (may('js-worker_delete', { name }) !== true) return undefined;
  return async () => {
    const old = await call('js-worker_read', { name });
    await call('js-worker_delete', { name });
    navigate(to('workers'));
    const restore = async () => {
      await call('js-worker_create', wireOf(name, draftOf(old)));
      navigate(to('workers', { name }));
    };
    toast(t.workers.removed(name), undo(t.workers, restore));
  };
}

interface RunOptions {
  readonly name: string;
  readonly route: string | null;
  readonly onDone: () => void;
}

/** Parameters or a request, and the run that is made with them. */
export function useRun({ name, route, onDone }: RunOptions) {
  const { may, origin } = useServer();
  const [kind, setKind] = useState<Kind>('call');
  const [params, setParams] = useState('{}');
  const [request, setRequest] = useState(NO_REQUEST);
  const { begin, ...run } = useCall(name, onDone);
  const read = params.trim() === '' ? { value: null } : readJson(params);
  const mistake = 'error' in read ? read.error : undefined;
  const isRoute = kind === 'route';
  const url = `${origin}${wire('/svc/worker-route')}/${encodeURIComponent(route ?? name)}`;
  const start = () => {
    if (run.isBusy) return;
    if (isRoute) void begin(kind, requestOf(url, request));
    else if ('value' in read) void begin(kind, read.value);
  };
  const isDenied = may('js-worker_run', { js_script_name: name, params: null }) === false;
  const fields = { kind, setKind, params, setParams, mistake, request, setRequest };
  return { ...run, ...fields, isRoute, url, start, isDenied };
}

/** ms between two queries of a run: quick ones feel at once, slow ones cost little. */
const QUERIES_MS = [60, 120, 250, 500, 1_000];

/** Starts a run and queries it until it has ended; leaving the page ends the queries, not the run. */
function useCall(name: string, onDone: () => void) {
  const { call } = useServer();
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const end = useRef(new AbortController());
  useEffect(() => () => end.current.abort(), []);
  const begin = async (run_type: Kind, params: unknown) => {
    const { signal } = end.current;
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    try {
      const { id } = await call('js-worker_run', { js_script_name: name, run_type, params });
      for (let query = 0; !signal.aborted; query++) {
        const condition = [{ js_worker_name: name }, { id }];
        const [row] = await call('js-result_query', { query: { condition } });
        setResult(row);
        if (row?.finish_time) break;
        await new Promise((done) => setTimeout(done, QUERIES_MS[query] ?? QUERIES_MS.at(-1)));
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      onDone();
    }
  };
  return { result, error, isBusy, begin };
}

/** Runs that are shown. */
const MOST_RUNS = 30;

/** The last runs, newest first; `runs` grows with each run from this page. */
export function useResults(name: string, runs: number) {
  const { call } = useServer();
  const query = { condition: [{ js_worker_name: name }, { limit: MOST_RUNS }] };
  return usePoll(`results ${name} ${runs}`, () => call('js-result_query', { query }), {
    every_ms: 5_000,
  });
}

type Item = Subscriptions['svc-server_stream_log']['item'];
interface LogLine extends Pick<Item, 'timestamp' | 'level' | 'message'> {
  readonly at: number;
}

/** Lines that stay; older ones go. */
const MOST_LINES = 500;
const SCRIPTS = { log_filter: 'js_worker=trace' };

/** Tells whether the token may follow the log; undefined: there is none, or the server has not said. */
export function useLogRight(): boolean | undefined {
  const { has, may } = useServer();
  if (!has('server-info')) return undefined;
  const allowed = may('svc-server_stream_log', SCRIPTS);
  // Rights that only the call decides are tried.
  return allowed === null ? true : allowed;
}

/** Log of a script, as it happens. */
export function useLog(name: string) {
  const { subscribe } = useServer();
  const lines = useSignal<readonly LogLine[]>([]);
  const waiting = useRef({ lines: [] as LogLine[], count: 0, frame: 0 }).current;
  const live = useLive(
    `log ${name}`,
    () => subscribe('svc-server_stream_log', SCRIPTS),
    ({ fields, timestamp, level, message }) => {
      if (fields['worker'] !== name) return;
      waiting.lines.push({ timestamp, level, message, at: ++waiting.count });
      // A script may log faster than a screen shows.
      waiting.frame ||= requestAnimationFrame(() => {
        lines.value = [...lines.value, ...waiting.lines].slice(-MOST_LINES);
        waiting.lines = [];
        waiting.frame = 0;
      });
    },
  );
  const clear = () => {
    lines.value = [];
  };
  return { lines: lines.value, live, clear };
}
