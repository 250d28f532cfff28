import { Card, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Monitor, Tried } from '../model.ts';
import { usePlaceName } from './model.ts';

const DAY_MS = 86_400_000;
/** Days that ask for a look. */
export const SOON_DAYS = 14;
/** Names that are shown. */
const MOST_NAMES = 12;

interface Props {
  readonly list: Monitor['certificates'];
}

type Inspected = NonNullable<Tried['certificate']>;

/** End of a certificate, and the days until then; undefined: none was served. */
export function certificateEnd({ chain: [own] }: Pick<Inspected, 'chain'>) {
  if (!own) return undefined;
  const { not_after } = own;
  return { not_after, days: Math.floor((not_after - Date.now()) / DAY_MS) };
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

export function Certificate({ of }: { readonly of: Inspected }) {
  const { valid, reason, protocol, names, chain, missing } = of;
  const end = certificateEnd(of);
  return (
    <div class="stack monitors-certificate">
      <p>
        {valid && end ? (
          <span class={end.days < SOON_DAYS ? 'monitors-warn' : ''}>
            {t.monitors.daysLeft(end.days)}
          </span>
        ) : (
          <span class="monitors-bad">
            {t.monitors.notValid}
            {reason !== null && `: ${reason}`}
          </span>
        )}
        <span class="muted">
          {end && ` · ${t.monitors.until(format.day(end.not_after))}`}
          {protocol !== null && ` · ${protocol.replace('TLSv', 'TLS ')}`}
        </span>
      </p>
      {names.length > 0 && (
        <p class="muted small monitors-cause">
          {t.monitors.forNames(names.slice(0, MOST_NAMES).join(', '))}
          {names.length > MOST_NAMES && ` ${t.monitors.andMore(names.length - MOST_NAMES)}`}
        </p>
      )}
      <ol class="monitors-chain">
        {chain.map(({ subject, issuer, not_after, fingerprint }) => (
          <li key={fingerprint} title={`${subject}\nSHA-256 ${fingerprint}`}>
            <span>{commonName(subject)}</span>
            <span class="muted small">
              {issuer === subject ? t.monitors.bySelf : t.monitors.issuedBy(commonName(issuer))} ·{' '}
              {t.monitors.until(format.day(not_after))}
            </span>
          </li>
        ))}
      </ol>
      {missing.length > 0 && (
        <p class="monitors-warn">{t.monitors.missing(missing.map(commonName).join(', '))}</p>
      )}
    </div>
  );
}

/** Name of a subject or issuer without the rest of where it is. */
const commonName = (name: string): string => /(?:^|[\n,/] ?)CN=([^\n,/]+)/.exec(name)?.[1] ?? name;
