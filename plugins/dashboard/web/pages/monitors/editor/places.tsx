import { useMachines } from '../../../frame/index.ts';
import { Checkbox, TextField } from '../../../parts/index.ts';
import { MachinePicker } from '../../../parts/machine-picker.tsx';
import { t } from '../../../strings/index.ts';
import type { Monitor } from '../model.ts';

type Places = Monitor['places'];

interface Props {
  readonly places: Places;
  readonly onChange: (places: Places) => void;
}

/** Places that check a monitor: the server, machines by name or by tag, all of them or some. */
export function PlacesField({ places, onChange }: Props) {
  const { list = [] } = useMachines();
  const { server, agents = [], tags = [], pick } = places;
  const change = (part: Partial<Places>) => {
    const { agents: some = [], tags: words = [], pick: count, ...next } = { ...places, ...part };
    onChange({
      server: next.server,
      ...(some.length > 0 && { agents: some }),
      ...(words.length > 0 && { tags: words }),
      ...(count !== undefined && some.length + words.length > 0 && { pick: count }),
    });
  };
  return (
    <div class="stack">
      <Checkbox
        label={t.monitors.places.server}
        checked={server}
        onChange={(isOn) => change({ server: isOn })}
      />
      {list.length > 0 && (
        <details open={agents.length > 0}>
          <summary>{t.monitors.places.machines(agents.length)}</summary>
          <MachinePicker
            machines={list}
            chosen={new Set(agents)}
            onChange={(chosen) => change({ agents: [...chosen] })}
          />
        </details>
      )}
      {list.length > 0 && (
        <div class="monitors-pair">
          <TextField
            label={t.monitors.places.tags}
            value={tags.join(', ')}
            onText={(text) =>
              change({ tags: text.split(/,\s*/).filter((one) => one.trim() !== '') })
            }
          />
          <TextField
            label={t.monitors.places.pick}
            type="number"
            min={1}
            max={20}
            value={pick === undefined ? '' : String(pick)}
            placeholder="1"
            disabled={agents.length + tags.length === 0}
            onText={(text) => {
              const { pick: _old, ...rest } = places;
              onChange(text === '' ? rest : { ...rest, pick: Number(text) });
            }}
          />
        </div>
      )}
    </div>
  );
}
