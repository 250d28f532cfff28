import { Plus, Search } from 'lucide';
import { useServer } from '../../frame/index.ts';
import { Button, Card, ErrorNote, Form, TextArea, TextField } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { joined } from './limit/model.ts';
import { LimitText } from './limit/text.tsx';
import { type Answer, type Token, useCheck, useMissing } from './model.ts';

interface Props {
  readonly token: Token;
  readonly onChanged: () => void;
}

/** "May this token call …?" */
export function Check({ token, onChanged }: Props) {
  const check = useCheck(token);
  const { method, params, wrong, isReady, answer, error } = check;
  const onAdded = () => {
    onChanged();
    void check.ask();
  };
  return (
    <Card title={t.tokens.checkTitle}>
      <Form onSubmit={() => isReady && check.ask()}>
        <TextField
          label={t.tokens.method}
          hint={t.tokens.methodHint}
          mono
          offered={check.names}
          value={method}
          autocomplete="off"
          spellcheck={false}
          onText={check.choose}
        />
        <TextArea
          label={t.tokens.params}
          hint={t.tokens.paramsHint}
          error={wrong}
          mono
          rows={Math.min(12, Math.max(3, params.split('\n').length))}
          value={params}
          onText={check.setParams}
        />
        <div>
          <Button type="submit" icon={Search} disabled={!isReady}>
            {t.tokens.ask}
          </Button>
        </div>
        {error !== undefined && <ErrorNote error={error} />}
      </Form>
      <div aria-live="polite">
        {answer && <Verdict answer={answer} token={token} onAdded={onAdded} />}
      </div>
    </Card>
  );
}

interface VerdictProps {
  readonly answer: Answer;
  readonly token: Token;
  readonly onAdded: () => void;
}

function Verdict({ answer, token, onAdded }: VerdictProps) {
  const { me } = useServer();
  const { add, error, isBusy } = useMissing(token, onAdded);
  const { method, allowed, reason } = answer;
  const ways = allowed === false ? answer.requirements.map((one) => joined(one.missing)) : [];
  const { depends, yes, no } = t.tokens;
  return (
    <div class="stack tokens-verdict">
      <p>
        <strong>{(allowed === null ? depends : allowed ? yes : no)(method)}</strong>
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
