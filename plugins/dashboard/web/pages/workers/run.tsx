import { Play } from 'lucide';
import { Button, Command, ErrorNote, Select, TextArea, TextField } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { useRun } from './model.ts';
import { Outcome } from './outcome.tsx';
import { hasBody, kinds, methods, type Request } from './request.ts';

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
  const run = useRun({ name, route, onDone });
  const { isRoute, mistake, isBusy, result } = run;
  start.current = run.start;
  if (run.isDenied) return <p class="muted">{t.workers.noRunRight}</p>;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        run.start();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run.start();
      }}
    >
      <Select label={t.workers.kind} value={run.kind} options={kinds} onChange={run.setKind} />
      {isRoute ? (
        <>
          <RequestFields request={run.request} onRequest={run.setRequest} />
          <Address url={route === null ? undefined : run.url} />
        </>
      ) : (
        <TextArea
          label={t.workers.params}
          error={mistake}
          rows={5}
          value={run.params}
          onText={run.setParams}
          mono
        />
      )}
      <div class="row wrap">
        <span class="muted small grow">{isChanged && t.workers.runSaved}</span>
        <Button
          kind="primary"
          type="submit"
          icon={Play}
          busy={isBusy}
          disabled={!isRoute && mistake !== undefined}
        >
          {t.workers.run}
        </Button>
      </div>
      {run.error !== undefined && <ErrorNote error={run.error} />}
      {result && <Outcome name={name} result={result} onLine={onLine} />}
      {isBusy && !result && (
        <p class="muted" role="status">
          {t.workers.queued}
        </p>
      )}
    </form>
  );
}

/** Address of a route; undefined: the worker has none. */
const Address = ({ url }: { readonly url: string | undefined }) =>
  url === undefined ? (
    <p class="muted small">{t.workers.noRoute}</p>
  ) : (
    <div class="field">
      <span class="small muted">{t.workers.address}</span>
      <Command text={url} />
    </div>
  );

interface FieldsProps {
  readonly request: Request;
  readonly onRequest: (request: Request) => void;
}

function RequestFields({ request, onRequest }: FieldsProps) {
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
      <TextArea
        label={t.workers.headers}
        rows={2}
        placeholder={t.workers.headersHint}
        value={request.headers}
        onText={(headers) => onRequest({ ...request, headers })}
        mono
      />
      {hasBody(request) && (
        <TextArea
          label={t.workers.body}
          rows={4}
          value={request.body}
          onText={(body) => onRequest({ ...request, body })}
          mono
        />
      )}
    </>
  );
}
