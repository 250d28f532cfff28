import { Plus, Search } from 'lucide';
import { useId, useState } from 'preact/hooks';
import { usePoll, useServer } from '../../frame/index.ts';
import {
  Button,
  Card,
  ErrorNote,
  Field,
  prettyJson,
  readJson,
  toast,
  useWork,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { added, joined, type Limit, methodName, type Token } from './limit/model.ts';
import { LimitText } from './limit/text.tsx';

interface Answer {
  readonly method: string;
  readonly params: { readonly [name: string]: unknown };
  readonly allowed: boolean | null;
  readonly reason: string;
  readonly requirements: readonly { readonly missing: Limit }[];
}

interface Described {
  readonly name: string;
  readonly params?: readonly { readonly name: string }[];
  readonly examples?: readonly {
    readonly params?: readonly { readonly name: string; readonly value?: unknown }[];
  }[];
}

interface Props {
  readonly token: Token;
  readonly onChanged: () => void;
}

/** "May this token call …?": the rule of the method is asked, the method is not called. */
export function Check({ token, onChanged }: Props) {
  const { call, me } = useServer();
  const methods = usePoll(
    'methods',
    async () => (await call('rpc.discover')).methods as Described[],
  );
  const [method, setMethod] = useState('');
  const [params, setParams] = useState('{}');
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const list = useId();
  const read = readJson(params === '' ? '{}' : params);
  const wrong = 'error' in read ? read.error : isObject(read.value) ? undefined : t.tokens.noObject;
  const ask = async () => {
    const given = ('value' in read ? read.value : {}) as Answer['params'];
    setError(undefined);
    try {
      const found = await call('token_explain', {
        method: methodName(method),
        params: given,
        ...(me.isSuper && { target_token: token.token_key }),
      });
      setAnswer({ ...(found as unknown as Answer), params: given });
    } catch (failure) {
      setAnswer(undefined);
      setError(failure);
    }
  };
  const choose = (name: string) => {
    setMethod(name);
    setAnswer(undefined);
    const chosen = methods.data?.find((one) => one.name === name);
    if (chosen) setParams(prettyJson(exampleOf(chosen)));
  };
  return (
    <Card title={t.tokens.checkTitle}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (method.trim() !== '' && wrong === undefined) void ask();
        }}
      >
        <Field label={t.tokens.method} hint={t.tokens.methodHint}>
          {(ids) => (
            <input
              {...ids}
              class="input mono"
              list={list}
              value={method}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget: { value } }) => choose(value)}
            />
          )}
        </Field>
        <datalist id={list}>
          {methods.data?.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field label={t.tokens.params} hint={t.tokens.paramsHint} error={wrong}>
          {(ids) => (
            <textarea
              {...ids}
              class="input mono"
              rows={Math.min(12, Math.max(3, params.split('\n').length))}
              spellcheck={false}
              value={params}
              aria-invalid={wrong !== undefined}
              onInput={({ currentTarget: { value } }) => setParams(value)}
            />
          )}
        </Field>
        <div>
          <Button
            type="submit"
            icon={Search}
            disabled={method.trim() === '' || wrong !== undefined}
          >
            {t.tokens.ask}
          </Button>
        </div>
        {error !== undefined && <ErrorNote error={error} />}
      </form>
      <div aria-live="polite">
        {answer && (
          <Verdict
            answer={answer}
            token={token}
            onAdded={() => {
              onChanged();
              void ask();
            }}
          />
        )}
      </div>
    </Card>
  );
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parameters of the method's example, without the credential. */
function exampleOf({ examples, params }: Described): { readonly [name: string]: unknown } {
  const [credential] = params ?? [];
  const given = examples?.[0]?.params ?? [];
  return Object.fromEntries(
    given.filter(({ name }) => name !== credential?.name).map(({ name, value }) => [name, value]),
  );
}

interface VerdictProps {
  readonly answer: Answer;
  readonly token: Token;
  readonly onAdded: () => void;
}

function Verdict({ answer, token, onAdded }: VerdictProps) {
  const { call, me } = useServer();
  const { method, allowed, reason } = answer;
  const ways = allowed === false ? answer.requirements.map((one) => joined(one.missing)) : [];
  const {
    run: add,
    error,
    isBusy,
  } = useWork(async (entries: Limit) => {
    await call('token_edit', {
      target_token: token.token_key,
      limit: [...added(token.token_limit, entries)],
    });
    toast(t.tokens.saved);
  }, onAdded);
  return (
    <div class="stack tokens-verdict">
      <p>
        <strong>
          {allowed === null
            ? t.tokens.depends(method)
            : allowed
              ? t.tokens.yes(method)
              : t.tokens.no(method)}
        </strong>
      </p>
      {ways.length === 0 && <p class="muted">{reason}</p>}
      {ways
        .filter((entries) => entries.length > 0)
        .map((entries, at) => (
          <div key={at} class="note">
            <div class="grow stack">
              <span>{at === 0 ? t.tokens.lacks : t.tokens.orLacks}</span>
              <LimitText limit={entries} />
              <code class="tokens-code">{JSON.stringify(entries)}</code>
            </div>
            {me.isSuper && (
              <Button icon={Plus} busy={isBusy} onClick={() => void add(entries)}>
                {t.tokens.addMissing(entries.length)}
              </Button>
            )}
          </div>
        ))}
      {error !== undefined && <ErrorNote what={t.tokens.notSaved} error={error} />}
    </div>
  );
}
