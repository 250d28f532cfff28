import { useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { Amount, Bar, Button, Card, Confirm, format, Select } from '../../../parts/index.ts';
import { DAYS, type Days } from '../../../parts/kept-days.ts';
import { t } from '../../../strings/index.ts';
import { bytesOf, type Kept, type Kind, useChoices } from './model.ts';

interface Props {
  readonly of: Kept;
  /** Bytes of each table; undefined until the server has answered. */
  readonly sizes: Readonly<Record<string, number>> | undefined;
  readonly onSaved: () => void;
}

/** Tables with what they hold, and a choice of how long each keeps its rows. */
export function Limits({ of, sizes, onSaved }: Props) {
  const { has } = useServer();
  const s = t.server.retention;
  const choices = useChoices(of, onSaved);
  const { kinds, before, now, choose } = choices;
  const [isAsking, setAsking] = useState(false);
  const words = wordsOf(choices);
  const bytes = kinds.map((kind) => sizes && bytesOf(sizes, kind));
  const most = Math.max(1, ...bytes.map((size) => size ?? 0));
  const save = has('kv') && (
    <Button kind="primary" disabled={choices.changed.length === 0} onClick={() => setAsking(true)}>
      {s.save}
    </Button>
  );
  return (
    <Card title={s.title} actions={save}>
      <p class="muted">{s.hint}</p>
      <ul class="server-storage server-kept">
        {kinds.map((kind, at) => (
          <li key={kind}>
            <span>{s.kinds[kind]}</span>
            <Bar value={(bytes[at] ?? 0) / most} warn={2} bad={2} label={s.kinds[kind]} />
            <Amount {...amountOf(bytes[at])} />
            <Select<Days>
              bare
              label={s.keep(s.kinds[kind])}
              value={now(kind)}
              options={[...DAYS, ...(before(kind) === 'other' ? (['other'] as const) : [])].map(
                (days) => ({ value: days, label: words(kind, days) }),
              )}
              onChange={(days) => choose(kind, days)}
            />
          </li>
        ))}
      </ul>
      {isAsking && <Changes choices={choices} onClose={() => setAsking(false)} />}
    </Card>
  );
}

type Choices = ReturnType<typeof useChoices>;

const wordsOf =
  ({ lengthOf }: Choices) =>
  (kind: Kind, days: Days): string => {
    const s = t.server.retention;
    const length = lengthOf(kind, days);
    const figure = days === 'other' ? format.number(length, 1) : format.number(length);
    const text = length === 0 ? s.forEver : s.days(figure);
    return days === '' ? s.byRule(text) : text;
  };

function amountOf(size: number | undefined) {
  if (size === undefined) return { of: undefined };
  return { of: format.bytes(size), title: format.exact(size, 'B') };
}

interface ChangesProps {
  readonly choices: Choices;
  readonly onClose: () => void;
}

function Changes({ choices, onClose }: ChangesProps) {
  const { changed, before, now, isLess, save } = choices;
  const s = t.server.retention;
  const words = wordsOf(choices);
  return (
    <Confirm title={s.ask} action={s.save} onClose={onClose} onConfirm={save}>
      <ul class="stack">
        {changed.map((kind) => (
          <li key={kind}>
            {s.change(s.kinds[kind], words(kind, before(kind)), words(kind, now(kind)))}
          </li>
        ))}
      </ul>
      {isLess && <p class="note warn">{s.lost}</p>}
    </Confirm>
  );
}
