import { expiryNote, expiryOf } from '../../../parts/expiry.ts';
import { Card, Form, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type PartProps, useMetadata, useNotesDraft } from './model.ts';
import { CYCLES } from './price.ts';
import { Save } from './save.tsx';

/** A price without its currency or its time says nothing. */
const PRICE = ['metadata_price', 'metadata_price_unit', 'metadata_price_cycle'];

/** Notes of people about the machine. */
export function Notes(props: PartProps) {
  const { mayEdit } = useMetadata(props.uuid);
  const { draft, change, save, saving } = useNotesDraft(props);
  const s = t.agent.settings;
  const near = expiryNote(expiryOf(draft.expires));
  return (
    <Card title={s.notes}>
      <Form onSubmit={save}>
        {mayEdit('metadata_name') && (
          <TextField label={t.agent.name} value={draft.name} onText={(name) => change({ name })} />
        )}
        {mayEdit('metadata_tags') && (
          <TextField
            label={s.tags}
            hint={s.tagsHint}
            value={draft.tags}
            onText={(tags) => change({ tags })}
          />
        )}
        {mayEdit('metadata_region') && (
          <TextField
            label={s.region}
            hint={s.regionHint}
            value={draft.region}
            onText={(region) => change({ region })}
          />
        )}
        {mayEdit('metadata_expire_time') && (
          <TextField
            label={s.expires}
            hint={near?.text ?? s.expiresHint}
            type="date"
            value={draft.expires}
            onText={(expires) => change({ expires })}
          />
        )}
        {PRICE.every(mayEdit) && <Price draft={draft} onChange={change} />}
        <Save {...saving} />
      </Form>
    </Card>
  );
}

type Draft = ReturnType<typeof useNotesDraft>;

interface PriceProps {
  readonly draft: Draft['draft'];
  readonly onChange: Draft['change'];
}

function Price({ draft: { price, unit, cycle }, onChange }: PriceProps) {
  const s = t.agent.settings;
  const isOther = cycle !== '' && CYCLES.every((days) => String(days) !== cycle);
  return (
    <>
      <div class="agent-price">
        <TextField
          label={s.price}
          type="number"
          min={0}
          step="any"
          value={price}
          onText={(text) => onChange({ price: text })}
        />
        <TextField
          label={s.currency}
          placeholder="EUR"
          value={unit}
          onText={(text) => onChange({ unit: text })}
        />
        <Select
          label={s.cycle}
          value={cycle}
          options={[
            { value: '', label: s.noCycle },
            ...CYCLES.map((days) => ({ value: String(days), label: s.cycles[days] })),
            ...(isOther ? [{ value: cycle, label: s.everyDays(Number(cycle)) }] : []),
          ]}
          onChange={(days) => onChange({ cycle: days })}
        />
      </div>
      <p class="hint">{s.priceHint}</p>
    </>
  );
}
