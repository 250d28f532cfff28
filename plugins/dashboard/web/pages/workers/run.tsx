import { Play } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useServer, wire } from '../../frame/index.ts';
import {
  Button,
  Command,
  ErrorNote,
  Field,
  readJson,
  Select,
  TextField,
  textToBase64,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { Result } from './model.ts';
import { Outcome } from './results.tsx';

const kinds = [
  { value: 'call', label: 'onCall' },
  { value: 'cron', label: 'onCron' },
  { value: 'route', label: 'onRoute' },
  { value: 'inline_call', label: 'onInlineCall' },
] as const;
type Kind = (typeof kinds)[number]['value'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
type HttpMethod = (typeof methods)[number];

/** ms between two looks at a run: quick ones feel at once, slow ones cost little. */
const LOOKS_MS = [60, 120, 250, 500, 1_000];

interface Request {
  readonly method: HttpMethod;
  readonly path: string;
  readonly headers: string;
  readonly body: string;
}

interface Props {
  readonly name: string;
  readonly route: string | null;
  /** The editor holds something else than the server. */
  readonly isChanged: boolean;
  /** Gets the way to start a run from elsewhere. */
  readonly start: { current: () => void };
  readonly onLine: (line: number) => void;
  readonly onDone: () => void;
}

/** Runs the deployed worker with parameters, or with a request as its route would. */
export function Run({ name, route, isChanged, start, onLine, onDone }: Props) {
  const { may, origin } = useServer();
  const [kind, setKind] = useState<Kind>('call');
  const [params, setParams] = useState('{}');
  const [request, setRequest] = useState<Request>({
    method: 'GET',
    path: '/',
    headers: '',
    body: '',
  });
  const run = useRun(name, onDone);
  const read = params.trim() === '' ? { value: null } : readJson(params);
  const isRoute = kind === 'route';
  const url = `${origin}${wire('/svc/worker-route')}/${encodeURIComponent(route ?? name)}`;
  const go = () => {
    if (run.isBusy || (!isRoute && !('value' in read))) return;
    void run.begin(kind, isRoute ? requestOf(url, request) : 'value' in read ? read.value : null);
  };
  start.current = go;
  const mayRun = may('js-worker_run', { js_script_name: name, params: null });
  if (mayRun === false) return <p class="muted">{t.workers.noRunRight}</p>;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) go();
      }}
    >
      <Select label={t.workers.kind} value={kind} options={kinds} onChange={setKind} />
      {isRoute ? (
        <RequestFields request={request} onRequest={setRequest} />
      ) : (
        <Field label={t.workers.params} error={'error' in read ? read.error : undefined}>
          {(ids) => (
            <textarea
              {...ids}
              class="input mono"
              rows={5}
              spellcheck={false}
              aria-invalid={'error' in read}
              value={params}
              onInput={(event) => setParams(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      {isRoute &&
        (route === null ? (
          <p class="muted small">{t.workers.noRoute}</p>
        ) : (
          <div class="field">
            <span class="small muted">{t.workers.address}</span>
            <Command text={url} />
          </div>
        ))}
      <div class="row wrap">
        <span class="muted small grow">{isChanged && t.workers.runSaved}</span>
        <Button
          kind="primary"
          type="submit"
          icon={Play}
          busy={run.isBusy}
          disabled={!isRoute && 'error' in read}
        >
          {t.workers.run}
        </Button>
      </div>
      {run.error !== undefined && <ErrorNote error={run.error} />}
      {run.result && <Outcome name={name} result={run.result} onLine={onLine} />}
      {run.isBusy && !run.result && (
        <p class="muted" role="status">
          {t.workers.queued}
        </p>
      )}
    </form>
  );
}

interface FieldsProps {
  readonly request: Request;
  readonly onRequest: (request: Request) => void;
}

function RequestFields({ request, onRequest }: FieldsProps) {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  return (
    <>
      <div class="workers-request">
        <Select
          label={t.workers.method}
          value={request.method}
          options={methods.map((value) => ({ value, label: value }))}
          onChange={(method) => onRequest({ ...request, method })}
        />
        <TextField
          label={t.workers.path}
          value={request.path}
          onText={(path) => onRequest({ ...request, path })}
          mono
          spellcheck={false}
          autocomplete="off"
        />
      </div>
      <Field label={t.workers.headers}>
        {(ids) => (
          <textarea
            {...ids}
            class="input mono"
            rows={2}
            spellcheck={false}
            placeholder={t.workers.headersHint}
            value={request.headers}
            onInput={(event) => onRequest({ ...request, headers: event.currentTarget.value })}
          />
        )}
      </Field>
      {hasBody && (
        <Field label={t.workers.body}>
          {(ids) => (
            <textarea
              {...ids}
              class="input mono"
              rows={4}
              spellcheck={false}
              value={request.body}
              onInput={(event) => onRequest({ ...request, body: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** What the HTTP entry would hand to `onRoute`. */
function requestOf(url: string, { method, path, headers, body }: Request) {
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== '';
  return {
    url: url + (/^[/?]/.test(path) || path === '' ? path : `/${path}`),
    method,
    headers: headers.split('\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at < 1 ? [] : [{ name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }];
    }),
    ...(hasBody && { body_base64: textToBase64(body) }),
  };
}

/** Starts a run and looks until it has ended; leaving the page ends the looking, not the run. */
function useRun(name: string, onDone: () => void) {
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
      for (let look = 0; !signal.aborted; look++) {
        const condition = [{ js_worker_name: name }, { id }];
        const [row] = await call('js-result_query', { query: { condition } });
        setResult(row);
        if (row?.finish_time) break;
        await new Promise((done) => setTimeout(done, LOOKS_MS[look] ?? LOOKS_MS.at(-1)));
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
