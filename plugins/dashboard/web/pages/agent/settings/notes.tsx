import { useState } from 'preact/hooks';
import { expiryNote, expiryOf } from '../../../parts/expiry.ts';
import { Card, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useMetadata } from './model.ts';
import { CYCLES } from './price.ts';
import { type PartProps, Save, useSaving } from './saving.tsx';

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const textOrNone = (text: string): string | undefined =>
  text.trim() === '' ? undefined : text.trim();
const numberOrNone = (text: string): number | undefined =>
  text.trim() === '' ? undefined : Number(text);
const listOf = (words: string): readonly string[] =>
  words.split(/[,，]/).flatMap((word) => word.trim() || []);

/** A price without its currency or its time says nothing. */
const PRICE = ['metadata_price', 'metadata_price_unit', 'metadata_price_cycle'];

/** What people say of the machine. */
export function Notes(props: PartProps) {
  const { uuid, values } = props;
  const { mayEdit } = useMetadata(uuid);
  const { run: store, ...saving } = useSaving(props);
  const tags = values['metadata_tags'];
  const [name, setName] = useState(textOf(values['metadata_name']));
  const [words, setWords] = useState(Array.isArray(tags) ? tags.join(', ') : '');
  const [region, setRegion] = useState(textOf(values['metadata_region']));
  const [expires, setExpires] = useState(dateOf(values['metadata_expire_time']));
  const [price, setPrice] = useState(textOf(values['metadata_price']));
  const [unit, setUnit] = useState(textOf(values['metadata_price_unit']));
  const [cycle, setCycle] = useState(textOf(values['metadata_price_cycle']));
  const s = t.agent.settings;
  const near = expiryNote(expiryOf(expires));
  const submit = (event: Event) => {
    event.preventDefault();
    const list = listOf(words);
    void store({
      metadata_name: textOrNone(name),
      metadata_tags: list.length === 0 ? undefined : list,
      metadata_region: textOrNone(region)?.toUpperCase(),
      // One that other front ends stored in their own form stays as it is.
      ...(expires !== dateOf(values['metadata_expire_time']) && {
        metadata_expire_time: textOrNone(expires),
      }),
      metadata_price: numberOrNone(price),
      metadata_price_unit: textOrNone(unit),
      metadata_price_cycle: numberOrNone(cycle),
    });
  };
  return (
    <Card title={s.notes}>
      <form class="stack" onSubmit={submit}>
        {mayEdit('metadata_name') && (
          <TextField label={t.agent.name} value={name} onText={setName} />
        )}
        {mayEdit('metadata_tags') && (
          <TextField label={s.tags} hint={s.tagsHint} value={words} onText={setWords} />
        )}
        {mayEdit('metadata_region') && (
          <TextField label={s.region} hint={s.regionHint} value={region} onText={setRegion} />
        )}
        {mayEdit('metadata_expire_time') && (
          <TextField
            label={s.expires}
            hint={near?.text ?? s.expiresHint}
            type="date"
            value={expires}
            onText={setExpires}
          />
        )}
        {PRICE.every(mayEdit) && (
          <>
            <div class="agent-price">
              <TextField
                label={s.price}
                type="number"
                min={0}
                step="any"
                value={price}
                onText={setPrice}
              />
              <TextField label={s.currency} placeholder="EUR" value={unit} onText={setUnit} />
              <Select
                label={s.cycle}
                value={cycle}
                options={[
                  { value: '', label: s.noCycle },
                  ...CYCLES.map((days) => ({ value: String(days), label: s.cycles[days] })),
                  ...(cycle === '' || CYCLES.some((days) => String(days) === cycle)
                    ? []
                    : [{ value: cycle, label: s.everyDays(Number(cycle)) }]),
                ]}
                onChange={setCycle}
              />
            </div>
            <p class="hint">{s.priceHint}</p>
          </>
        )}
        <Save {...saving} />
      </form>
    </Card>
  );
}

/** As the browser's field for dates has it. */
function dateOf(value: unknown): string {
  const end = expiryOf(value);
  if (end === undefined) return '';
  const date = new Date(end);
  const two = (count: number) => String(count).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
