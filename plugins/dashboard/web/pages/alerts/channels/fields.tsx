import { FormField } from '../../../parts/form-field.tsx';
import { t } from '../../../strings/index.ts';
import type { Channel, Kind } from '../model.ts';
import type { Draft } from './draft.ts';
import { isFilledByBrowser } from './subscription.ts';

type KindField = Kind['fields'][number];

interface Props {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly channel: Channel | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** Form of a kind of channel, made from what the server says of it. Fields that may be empty come last. */
export function KindFields({ kind, draft, channel, onChange }: Props) {
  const set = ({ name, secret }: KindField, value: unknown) =>
    onChange(
      secret
        ? { secret: { ...draft.secret, [name]: value } }
        : { config: { ...draft.config, [name]: value } },
    );
  const isKey = ({ name }: KindField) => isFilledByBrowser(kind.kind, name);
  const drawn = (isWanted: (field: KindField) => boolean) =>
    kind.fields
      .filter(isWanted)
      .map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={(field.secret ? draft.secret : draft.config)[field.name]}
          isSet={channel?.secret[field.name]?.set === true}
          words={t.alerts}
          onChange={(value) => set(field, value)}
        />
      ));
  const keys = drawn(isKey);
  const others = drawn(({ required }) => !required);
  return (
    <>
      {drawn((field) => field.required && !isKey(field))}
      {keys.length > 0 && (
        <details>
          <summary>{t.alerts.browser.keys}</summary>
          <div class="stack alerts-more">{keys}</div>
        </details>
      )}
      {others.length > 0 && (
        <details open={others.length < 3}>
          <summary>{t.alerts.optionalFields}</summary>
          <div class="stack alerts-more">{others}</div>
        </details>
      )}
    </>
  );
}
