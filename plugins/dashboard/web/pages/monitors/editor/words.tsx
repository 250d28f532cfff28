import { useState } from 'preact/hooks';
import { SEVERITIES } from '../../../parts/alert/types.ts';
import { Checkbox, Select, TextArea, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Monitor } from '../model.ts';
import type { Draft } from './draft.ts';

interface Props {
  readonly draft: Draft;
  readonly monitor: Monitor | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** How it is shown and told. */
export function Words({ draft, monitor, onChange }: Props) {
  return (
    <details>
      <summary>{t.monitors.shownAs}</summary>
      <div class="stack monitors-more">
        <div class="monitors-pair">
          <TextField
            label={t.monitors.fields.group}
            value={draft.group}
            onText={(group) => onChange({ group })}
          />
          <Tags tags={draft.tags} onChange={(tags) => onChange({ tags })} />
          <TextField
            label={t.monitors.fields.public_name}
            value={draft.public_name}
            placeholder={draft.name}
            onText={(public_name) => onChange({ public_name })}
          />
          <Select
            label={t.monitors.fields.severity}
            value={draft.severity}
            options={SEVERITIES.map((value) => ({ value, label: t.alert.severities[value] }))}
            onChange={(severity) => onChange({ severity })}
          />
        </div>
        <TextArea
          label={t.monitors.fields.note}
          rows={2}
          value={draft.note}
          onText={(note) => onChange({ note })}
        />
        {!monitor && (
          <Checkbox
            label={t.monitors.fields.enable}
            checked={draft.enable}
            onChange={(enable) => onChange({ enable })}
          />
        )}
      </div>
    </details>
  );
}

interface TagsProps {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
}

function Tags({ tags, onChange }: TagsProps) {
  const [text, setText] = useState(tags.join(', '));
  return (
    <TextField
      label={t.monitors.fields.tags}
      value={text}
      hint={t.monitors.fields.tagsHint}
      onText={(typed) => {
        setText(typed);
        onChange(
          typed
            .split(',')
            .map((one) => one.trim())
            .filter((one) => one !== ''),
        );
      }}
    />
  );
}
