import { useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { Button, Card, Confirm, Diff, ErrorNote, TextField, toast } from '../../../parts/index.ts';
import { isShorter } from '../../../parts/kept-days.ts';
import { valueIn, withValue } from '../../../parts/toml.ts';
import { t } from '../../../strings/index.ts';

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
/** Who has stolen a login shall not make the server forget it. */
const FILE_ONLY = 'audit.keep_days';
type Rule = (typeof RULES)[number];
/** Section and key. */
const placeOf = ({ name }: Rule) => name.split('.') as [section: string, key: string];
const KEEP_DAYS = 'retention.keep_days';
const isText = ({ name }: Rule) => name === 'retention.budget';

interface Props {
  readonly text: string;
  /** Days of `retention.keep_days` where the file says nothing; 0: for ever. */
  readonly standard: number;
  readonly onSaved: () => void;
}

/** The rules of the file as fields; what a change of them is, is shown before it is saved. */
export function Rules({ text, standard, onSaved }: Props) {
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
              disabled={!mayEdit || rule.name === FILE_ONLY}
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
          {rules.some((rule) => keepsLess(rule, before(rule), typed[rule.name], standard)) && (
            <p class="note warn">{s.lost}</p>
          )}
          <Diff before={text} after={asked} />
        </Confirm>
      )}
    </Card>
  );
}

/** Is less kept by this rule than before? Only then something is deleted. */
function keepsLess(rule: Rule, before: string, typed: string | undefined, standard: number) {
  if (typed === undefined || typed.trim() === before) return false;
  // The size that the server chooses by itself is not known here: whatever has a bound may be less.
  const budget = budgetOf(typed);
  if (isText(rule)) return budget !== UNBOUNDED && !(budget >= budgetOf(before));
  const days = (value: string) =>
    Number(value.trim() || (rule.name === KEEP_DAYS ? standard : rule.standard));
  return isShorter(days(before), days(typed));
}

const UNBOUNDED = Number.POSITIVE_INFINITY;
const BUDGET = /^([\d.]+)\s*([kMGT]?)(i?)B$/i;

/** Bytes; NaN where the server decides, or nobody can read it. */
function budgetOf(text: string): number {
  if (text.trim() === 'none') return UNBOUNDED;
  const [, count, power = '', binary] = BUDGET.exec(text.trim()) ?? [];
  return Number(count) * (binary ? 1024 : 1000) ** ' kmgt'.indexOf(power.toLowerCase() || ' ');
}

function changed(text: string, rule: Rule, typed: string | undefined): string {
  if (typed === undefined) return text;
  const value = typed.trim() === '' ? undefined : isText(rule) ? typed.trim() : Number(typed);
  return withValue(text, ...placeOf(rule), value);
}
