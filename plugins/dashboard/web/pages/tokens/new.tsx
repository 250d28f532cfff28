import { Save } from 'lucide';
import { navigate, to, useMachines } from '../../frame/index.ts';
import { Button, Card, ErrorNote, Form, Select, TextField } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Secret } from './dialogs/secret.tsx';
import { LimitEditor } from './limit/editor.tsx';
import { PRESETS } from './limit/presets.ts';
import { LimitText } from './limit/text.tsx';
import { type Account, mistakesOf, type Purpose, useNewToken } from './model.ts';

/** A new token: what it is for first, then who logs in with it and for how long. */
export function NewToken({ onMade }: { readonly onMade: () => void }) {
  const draft = useNewToken(onMade);
  const { purpose, preset, error, refused, made } = draft;
  return (
    <Form class="page tokens-form" onSubmit={draft.create}>
      <h1>{t.tokens.new}</h1>
      <Purposes current={purpose} onChange={draft.setPurpose} />
      {purpose === 'agent' && <Machine uuid={draft.uuid} onChange={draft.setUuid} />}
      {preset.length > 0 && (
        <Card class="stack">
          <LimitText limit={preset} />
          <div>
            <Button onClick={draft.adjust}>{t.tokens.adjust}</Button>
          </div>
        </Card>
      )}
      {purpose === 'own' && <LimitEditor limit={draft.own} onChange={draft.setOwn} />}
      {purpose !== undefined && (
        <Person account={draft.account} refused={refused} onChange={draft.setAccount} />
      )}
      {error !== undefined && refused === undefined && (
        <ErrorNote what={t.tokens.notSaved} error={error} />
      )}
      <div class="row">
        <Button
          kind="primary"
          type="submit"
          icon={Save}
          disabled={!draft.isReady}
          busy={draft.isBusy}
        >
          {t.tokens.create}
        </Button>
        <Button onClick={() => navigate(to('tokens'))}>{t.parts.cancel}</Button>
      </div>
      {made && (
        <Secret
          made={made}
          username={draft.username}
          onClose={() => navigate(to('tokens', made.key))}
        />
      )}
    </Form>
  );
}

interface PurposesProps {
  readonly current: Purpose | undefined;
  readonly onChange: (purpose: Purpose) => void;
}

function Purposes({ current, onChange }: PurposesProps) {
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

interface PersonProps {
  readonly account: Account;
  /** Mistake in the password, as the server says it. */
  readonly refused: string | undefined;
  readonly onChange: (account: Account) => void;
}

/** Account that logs in with it, and for how long. */
function Person({ account, refused, onChange }: PersonProps) {
  const set = (part: Partial<Account>) => onChange({ ...account, ...part });
  const mistakes = mistakesOf(account);
  return (
    <Card class="tokens-facts">
      <TextField
        label={t.tokens.username}
        value={account.username}
        hint={t.tokens.usernameHint}
        autocomplete="off"
        error={mistakes.username}
        onText={(username) => set({ username })}
      />
      <TextField
        label={t.tokens.password}
        type="password"
        value={account.password}
        autocomplete="new-password"
        hint={t.tokens.passwordHint}
        error={mistakes.password ?? refused}
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
        error={mistakes.until}
        onText={(until) => set({ until })}
      />
    </Card>
  );
}
