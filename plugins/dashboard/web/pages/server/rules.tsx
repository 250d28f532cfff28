import { useState } from 'preact/hooks';
import { useServer } from '../../frame/index.ts';
import { Button, Card, Confirm, Diff, ErrorNote, TextField, toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { valueIn, withValue } from './toml.ts';

/** Keys of the file that say how long something is kept; `standard` is what holds without them. */
const RULES = [
  { name: 'retention.keep_days', standard: '14' },
  { name: 'retention.budget', standard: '20 GB' },
  { name: 'series.keep_minutes_days', standard: '60' },
  { name: 'series.keep_quarter_hours_days', standard: '730' },
  { name: 'agent-events.keep_days', standard: '90' },
  { name: 'agent-events.keep_uptime_days', standard: '400' },
  { name: 'audit.keep_days', standard: '400' },
] as const;
type Rule = (typeof RULES)[number];
/** Section and key. */
const placeOf = ({ name }: Rule) => name.split('.') as [section: string, key: string];
const isText = ({ name }: Rule) => name === 'retention.budget';

/** The rules of the file as fields; what a change of them is, is shown before it is saved. */
export function Rules({ text, onSaved }: { readonly text: string; readonly onSaved: () => void }) {
  const { call, has, may } = useServer();
  const s = t.server.retention;
  const rules = RULES.filter((rule) => has(placeOf(rule)[0]));
  const before = (rule: Rule) => String(valueIn(text, ...placeOf(rule)) ?? '');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [asked, setAsked] = useState<string>();
  const [error, setError] = useState<unknown>();
  const mayEdit = may('svc-server_edit_config') !== false;
  const review = () => {
    try {
      setAsked(rules.reduce((made, rule) => changed(made, rule, typed[rule.name]), text));
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Card
      title={s.rules}
      actions={
        mayEdit && (
          <Button disabled={Object.keys(typed).length === 0} onClick={review}>
            {t.server.configuration.review}
          </Button>
        )
      }
    >
      <div class="stack">
        <div class="server-rules">
          {rules.map((rule) => (
            <TextField
              key={rule.name}
              label={s.names[rule.name]}
              hint={s.hints[rule.name]}
              type={isText(rule) ? 'text' : 'number'}
              min={0}
              placeholder={rule.standard}
              disabled={!mayEdit}
              value={typed[rule.name] ?? before(rule)}
              onText={(value) => setTyped({ ...typed, [rule.name]: value })}
            />
          ))}
        </div>
        {error !== undefined && <ErrorNote what={s.otherForm} error={error} />}
      </div>
      {asked !== undefined && (
        <Confirm
          title={t.server.configuration.ask}
          action={t.server.configuration.save}
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await call('svc-server_edit_config', { config_string: asked });
            toast(t.server.configuration.saved);
            onSaved();
          }}
        >
          <p class="note warn">{s.lost}</p>
          <Diff before={text} after={asked} />
        </Confirm>
      )}
    </Card>
  );
}

function changed(text: string, rule: Rule, typed: string | undefined): string {
  if (typed === undefined) return text;
  const value = typed.trim() === '' ? undefined : isText(rule) ? typed.trim() : Number(typed);
  return withValue(text, ...placeOf(rule), value);
}
