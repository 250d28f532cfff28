import { Loaded, type Resource } from '../../../frame/index.ts';
import { Card, Form, Select } from '../../../parts/index.ts';
import { DAYS, type Days, LIMITED } from '../../../parts/kept-days.ts';
import { t } from '../../../strings/index.ts';
import {
  keyOfLimit,
  NOTES,
  type PartProps,
  type Stored,
  useMetadata,
  useRetention,
} from './model.ts';
import { Notes } from './notes.tsx';
import { Save } from './save.tsx';

interface Props {
  readonly uuid: string;
  readonly stored: Resource<Stored>;
}

/** Notes about the agent, and how long its history is kept: what the token may change. */
export function Settings({ uuid, stored }: Props) {
  const { mayEdit } = useMetadata(uuid);
  return (
    <Loaded of={stored} what={t.agent.settings.unreadable}>
      {(values) => {
        const parts = { uuid, values, onSaved: stored.refresh };
        return (
          <div class="agent-columns">
            {NOTES.some(mayEdit) && <Notes key={JSON.stringify(values)} {...parts} />}
            {LIMITED.map(keyOfLimit).some(mayEdit) && (
              <Retention key={`kept ${JSON.stringify(values)}`} {...parts} />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** Time for which rows of this agent are kept. */
function Retention(props: PartProps) {
  const { kinds, chosen, choose, save, saving } = useRetention(props);
  const s = t.agent.settings;
  return (
    <Card title={s.keep}>
      <Form onSubmit={save}>
        <p class="muted">{s.keepHint}</p>
        {kinds.map((kind) => (
          <Select<Days>
            key={kind}
            label={s.kinds[kind]}
            value={chosen[kind] ?? ''}
            options={[...DAYS, ...(chosen[kind] === 'other' ? (['other'] as const) : [])].map(
              (days) => ({ value: days, label: s.kept(days) }),
            )}
            onChange={(days) => choose(kind, days)}
          />
        ))}
        <Save {...saving} />
      </Form>
    </Card>
  );
}
