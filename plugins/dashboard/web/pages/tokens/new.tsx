import { Save } from 'lucide';
import { useState } from 'preact/hooks';
import { go, passwordMistake, to, useMachines, useServer } from '../../frame/index.ts';
import { Button, Card, ErrorNote, Select, TextField, useWork } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { type Made, Secret } from './dialogs/secret.tsx';
import { LimitEditor, written } from './limit/editor.tsx';
import type { Limit } from './limit/model.ts';
import { limitOfPreset, PRESETS, type Preset } from './limit/presets.ts';
import { LimitText } from './limit/text.tsx';

/** `own`: the rights are put together by hand. */
type Choice = Preset | 'own';

/** `datetime-local` is the reader's own time. Null: nothing is typed. */
const timeOf = (text: string): number | null => (text === '' ? null : new Date(text).getTime());

const BLANK: Limit = [{ scopes: [], permissions: [] }];

/** A new token: what it is for first, then who logs in with it and for how long. */
export function NewToken({ onMade }: { readonly onMade: () => void }) {
  const { call } = useServer();
  const [choice, setChoice] = useState<Choice>();
  const [uuid, setUuid] = useState('');
  const [own, setOwn] = useState<Limit | undefined>(BLANK);
  const [account, setAccount] = useState<Account>(NOBODY);
  const [made, setMade] = useState<Made>();
  // A blank at an end is nobody's name, and the log-in would ask for it.
  const username = account.username.trim();
  const preset = choice === undefined || choice === 'own' ? [] : limitOfPreset(choice, uuid);
  const limit = choice === 'own' ? own : preset;
  const isReady =
    choice !== undefined && limit !== undefined && (choice !== 'agent' || uuid !== '');
  const { run, error, isBusy } = useWork(async () => {
    const { password, from, until } = account;
    setMade(
      await call('token_create', {
        token_creation: {
          token_limit: [...written(limit ?? [])],
          timestamp_from: timeOf(from),
          timestamp_to: timeOf(until),
          ...(username === '' ? {} : { username, password }),
        },
      }),
    );
    onMade();
  });
  const refused = passwordMistake(error);
  return (
    <form
      class="page tokens-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && mistakeOf(account) === undefined && !isBusy) void run();
      }}
    >
      <h1>{t.tokens.new}</h1>
      <Choices current={choice} onChange={setChoice} />
      {choice === 'agent' && <Machine uuid={uuid} onChange={setUuid} />}
      {choice !== undefined && choice !== 'own' && preset.length > 0 && (
        <Card class="stack">
          <LimitText limit={preset} />
          <div>
            <Button
              onClick={() => {
                setOwn(preset);
                setChoice('own');
              }}
            >
              {t.tokens.adjust}
            </Button>
          </div>
        </Card>
      )}
      {choice === 'own' && <LimitEditor limit={own ?? BLANK} onChange={setOwn} />}
      {choice !== undefined && <Person account={account} refused={refused} onChange={setAccount} />}
      {error !== undefined && refused === undefined && (
        <ErrorNote what={t.tokens.notSaved} error={error} />
      )}
      <div class="row">
        <Button
          kind="primary"
          type="submit"
          icon={Save}
          disabled={!isReady || mistakeOf(account) !== undefined}
          busy={isBusy}
        >
          {t.tokens.create}
        </Button>
        <Button onClick={() => go(to('tokens'))}>{t.parts.cancel}</Button>
      </div>
      {made && (
        <Secret made={made} username={username} onClose={() => go(to('tokens', made.key))} />
      )}
    </form>
  );
}

interface ChoicesProps {
  readonly current: Choice | undefined;
  readonly onChange: (choice: Choice) => void;
}

function Choices({ current, onChange }: ChoicesProps) {
  return (
    <div class="tokens-presets" role="radiogroup" aria-label={t.tokens.purpose}>
      {([...PRESETS, 'own'] as const).map((one) => (
        <label key={one} class="card tokens-preset">
          <input
            type="radio"
            name="purpose"
            checked={current === one}
            onChange={() => onChange(one)}
          />
          <span>
            <strong>{t.tokens.presets[one]}</strong>
            <span class="muted">{t.tokens.presetHints[one]}</span>
          </span>
        </label>
      ))}
    </div>
  );
}

interface MachineProps {
  readonly uuid: string;
  readonly onChange: (uuid: string) => void;
}

function Machine({ uuid, onChange }: MachineProps) {
  const { list = [], nameOf } = useMachines();
  return (
    <Card>
      <Select
        label={t.tokens.machine}
        value={uuid}
        hint={t.tokens.machineHint}
        options={[
          { value: '', label: t.tokens.chooseMachine },
          ...list.map((one) => ({ value: one.uuid, label: nameOf(one.uuid) })),
        ]}
        onChange={onChange}
      />
    </Card>
  );
}

interface Account {
  readonly username: string;
  readonly password: string;
  readonly from: string;
  readonly until: string;
}
const NOBODY: Account = { username: '', password: '', from: '', until: '' };

const isHalf = ({ username, password }: Account) => (username.trim() === '') !== (password === '');
const isBackward = ({ from, until }: Account) => from !== '' && until !== '' && from >= until;

/** Signs with which the server stores a name or a password, and nobody logs in (auth.md §1). */
const nameMistake = ({ username }: Account) =>
  /[:|]/.test(username) ? t.tokens.usernameSigns : undefined;
function passwordMistakeOf(account: Account): string | undefined {
  if (isHalf(account)) return t.tokens.bothOrNone;
  return account.password.includes(':') ? t.tokens.passwordSign : undefined;
}
const timeMistake = (account: Account) => (isBackward(account) ? t.tokens.backward : undefined);

const mistakeOf = (account: Account): string | undefined =>
  nameMistake(account) ?? passwordMistakeOf(account) ?? timeMistake(account);

interface PersonProps {
  readonly account: Account;
  /** What the server said of the password. */
  readonly refused: string | undefined;
  readonly onChange: (account: Account) => void;
}

/** Who logs in with it, and for how long. */
function Person({ account, refused, onChange }: PersonProps) {
  const set = (part: Partial<Account>) => onChange({ ...account, ...part });
  return (
    <Card class="tokens-facts">
      <TextField
        label={t.tokens.username}
        value={account.username}
        hint={t.tokens.usernameHint}
        autocomplete="off"
        error={nameMistake(account)}
        onText={(username) => set({ username })}
      />
      <TextField
        label={t.tokens.password}
        type="password"
        value={account.password}
        autocomplete="new-password"
        hint={t.tokens.passwordHint}
        error={passwordMistakeOf(account) ?? refused}
        onText={(password) => set({ password })}
      />
      <TextField
        label={t.tokens.from}
        type="datetime-local"
        value={account.from}
        hint={t.tokens.fromHint}
        onText={(from) => set({ from })}
      />
      <TextField
        label={t.tokens.to}
        type="datetime-local"
        value={account.until}
        hint={t.tokens.toHint}
        error={timeMistake(account)}
        onText={(until) => set({ until })}
      />
    </Card>
  );
}
