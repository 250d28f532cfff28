import { Save } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { go, to, useServer } from '../../frame/index.ts';
import { Button, Card, ErrorNote, TextField, toast, useWork } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { LimitEditor } from './limit-editor.tsx';
import type { Limit, Token } from './limits.ts';
import { type Made, Secret } from './secret.tsx';

interface Props {
  readonly children?: ComponentChildren;
  readonly title: string;
  readonly action: string;
  readonly limit: Limit;
  readonly isReady?: boolean;
  readonly onSave: (limit: Limit) => Promise<unknown>;
  readonly onCancel: () => void;
}

function Form({ children, title, action, limit, isReady = true, onSave, onCancel }: Props) {
  const [now, setNow] = useState<Limit | undefined>(limit);
  const {
    run: save,
    error,
    isBusy,
  } = useWork(async (wanted: Limit) =>
    // A sentence that nobody began says nothing.
    onSave(wanted.filter((one) => one.scopes.length + one.permissions.length > 0)),
  );
  return (
    <form
      class="page tokens-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (now && isReady && !isBusy) void save(now);
      }}
    >
      <h1>{title}</h1>
      {children}
      <LimitEditor limit={limit} onChange={setNow} />
      {error !== undefined && <ErrorNote what={t.tokens.notSaved} error={error} />}
      <div class="row">
        <Button kind="primary" type="submit" icon={Save} disabled={!now || !isReady} busy={isBusy}>
          {action}
        </Button>
        <Button onClick={onCancel}>{t.parts.cancel}</Button>
      </div>
    </form>
  );
}

interface EditProps {
  readonly token: Token;
  readonly onSaved: () => void;
}

/** Another limit for a token; the server changes nothing else of it. */
export function EditLimit({ token, onSaved }: EditProps) {
  const { call } = useServer();
  const back = () => go(to('tokens', token.token_key));
  return (
    <Form
      title={t.tokens.editTitle(token.username ?? token.token_key)}
      action={t.tokens.save}
      limit={token.token_limit}
      onCancel={back}
      onSave={async (limit) => {
        await call('token_edit', { target_token: token.token_key, limit: [...limit] });
        toast(t.tokens.saved);
        onSaved();
        back();
      }}
    >
      <p class="hint">{t.tokens.editHint}</p>
    </Form>
  );
}

/** `datetime-local` is the reader's own time. Null: nothing is typed. */
const timeOf = (text: string): number | null => (text === '' ? null : new Date(text).getTime());

export function NewToken({ onMade }: { readonly onMade: () => void }) {
  const { call } = useServer();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const [made, setMade] = useState<Made>();
  const isHalf = (username === '') !== (password === '');
  const isBackward = from !== '' && until !== '' && from >= until;
  const create = async (limit: Limit) => {
    const account = username === '' ? {} : { username, password };
    setMade(
      await call('token_create', {
        token_creation: {
          token_limit: [...limit],
          timestamp_from: timeOf(from),
          timestamp_to: timeOf(until),
          ...account,
        },
      }),
    );
    onMade();
  };
  return (
    <>
      <Form
        title={t.tokens.new}
        action={t.tokens.create}
        limit={[{ scopes: [], permissions: [] }]}
        isReady={!isHalf && !isBackward}
        onSave={create}
        onCancel={() => go(to('tokens'))}
      >
        <Card class="tokens-facts">
          <TextField
            label={t.tokens.username}
            value={username}
            hint={t.tokens.usernameHint}
            autocomplete="off"
            onText={setUsername}
          />
          <TextField
            label={t.tokens.password}
            type="password"
            value={password}
            autocomplete="new-password"
            error={isHalf ? t.tokens.bothOrNone : undefined}
            onText={setPassword}
          />
          <TextField
            label={t.tokens.from}
            type="datetime-local"
            value={from}
            hint={t.tokens.fromHint}
            onText={setFrom}
          />
          <TextField
            label={t.tokens.to}
            type="datetime-local"
            value={until}
            hint={t.tokens.toHint}
            error={isBackward ? t.tokens.backward : undefined}
            onText={setUntil}
          />
        </Card>
      </Form>
      {made && <Secret made={made} onClose={() => go(to('tokens', made.key))} />}
    </>
  );
}
