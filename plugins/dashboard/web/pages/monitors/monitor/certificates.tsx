import { Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Monitor, Tried } from '../model.ts';
import { usePlaceName } from './model.ts';

const DAY_MS = 86_400_000;
/** Days that ask for a look. */
const SOON = 14;

interface Props {
  readonly list: Monitor['certificates'];
}

/** Certificates by place: for how long, by whom, and what is missing. */
export function Certificates({ list }: Props) {
  const nameOf = usePlaceName();
  return (
    <Card title={t.monitors.certificate}>
      <div class="stack">
        {list.map(({ place, ...certificate }) => (
          <div key={place}>
            {list.length > 1 && <h3>{nameOf(place)}</h3>}
            <Certificate of={certificate} />
          </div>
        ))}
      </div>
    </Card>
  );
}

type Inspected = NonNullable<Tried['certificate']>;

export function Certificate({ of }: { readonly of: Inspected }) {
  const { valid, reason, protocol, names, chain, missing } = of;
  const [own] = chain;
  const left = own ? Math.floor((own.not_after - Date.now()) / DAY_MS) : 0;
  return (
    <div class="stack monitors-certificate">
      <p>
        {valid ? (
          <span class={left < SOON ? 'monitors-warn' : ''}>{t.monitors.daysLeft(left)}</span>
        ) : (
          <span class="monitors-bad">
            {t.monitors.notValid}
            {reason !== null && `: ${reason}`}
          </span>
        )}
        <span class="muted">
          {own && ` · ${t.monitors.until(format.day(own.not_after))}`}
          {protocol !== null && ` · ${protocol}`}
        </span>
      </p>
      {names.length > 0 && (
        <p class="muted small monitors-cause">{names.slice(0, 12).join(', ')}</p>
      )}
      <ol class="monitors-chain">
        {chain.map(({ subject, issuer, not_after, fingerprint }) => (
          <li key={fingerprint} title={fingerprint}>
            <span>{subject}</span>
            <span class="muted small">
              {t.monitors.issuedBy(issuer)} · {t.monitors.until(format.day(not_after))}
            </span>
          </li>
        ))}
      </ol>
      {missing.length > 0 && <p class="monitors-warn">{t.monitors.missing(missing.join(', '))}</p>}
    </div>
  );
}
