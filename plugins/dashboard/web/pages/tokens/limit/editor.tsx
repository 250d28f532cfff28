import { Braces, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, prettyJson, readJson, TextArea } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { EntryEditor } from './entry.tsx';
import { type Entry, type Limit, limitOf } from './model.ts';

interface Props {
  readonly limit: Limit;
  /** `undefined`: what is typed as JSON is no limit. */
  readonly onChange: (limit: Limit | undefined) => void;
}

/** A limit as rules or as JSON; both show the same one. */
export function LimitEditor({ limit: first, onChange }: Props) {
  const [limit, setLimit] = useState(first);
  const [json, setJson] = useState<string>();
  const wrong = json === undefined ? undefined : mistakeIn(json);
  const change = (changed: Limit) => {
    setLimit(changed);
    onChange(changed);
  };
  const type = (text: string) => {
    setJson(text);
    const read = readJson(text);
    const found = 'error' in read ? read.error : limitOf(read.value);
    if (typeof found === 'string') onChange(undefined);
    else change(found);
  };
  return (
    <div class="stack">
      <div class="row">
        <h2 class="grow">{t.tokens.rightsTitle}</h2>
        <Button
          kind="quiet"
          icon={Braces}
          pressed={json !== undefined}
          disabled={wrong !== undefined}
          onClick={() => setJson(json === undefined ? prettyJson(limit) : undefined)}
        >
          JSON
        </Button>
      </div>
      {json === undefined ? (
        <Rules limit={limit} onChange={change} />
      ) : (
        <TextArea
          label={t.tokens.asJson}
          hint={t.tokens.asJsonHint}
          error={wrong}
          rows={18}
          mono
          value={json}
          onText={type}
        />
      )}
    </div>
  );
}

function mistakeIn(text: string): string | undefined {
  const read = readJson(text);
  if ('error' in read) return read.error;
  const found = limitOf(read.value);
  return typeof found === 'string' ? found : undefined;
}

const BLANK: Entry = { scopes: [], permissions: [] };

function Rules({ limit, onChange }: { limit: Limit; onChange: (limit: Limit) => void }) {
  return (
    <>
      {limit.map((entry, at) => (
        <EntryEditor
          key={at}
          entry={entry}
          number={limit.length > 1 ? at + 1 : undefined}
          onChange={(changed) => onChange(limit.with(at, changed))}
          onRemove={() => onChange(limit.toSpliced(at, 1))}
        />
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...limit, BLANK])}>
          {t.tokens.addEntry}
        </Button>
      </div>
    </>
  );
}
