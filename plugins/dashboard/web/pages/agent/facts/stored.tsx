import { expiryOf } from '../../../parts/expiry.ts';
import { Card, format } from '../../../parts/index.ts';
import { daysOf, LIMITED } from '../../../parts/kept-days.ts';
import { placeOf } from '../../../parts/place.ts';
import { t } from '../../../strings/index.ts';
import { keyOfLimit, type Stored, useMetadata } from '../settings/model.ts';
import { priceText } from '../settings/price.ts';
import { FactList, type FactRow } from './list.tsx';

interface Props {
  readonly uuid: string;
  readonly stored: Stored;
}

function keptText(limit: unknown): string {
  const days = daysOf(limit);
  return days === 'other' ? format.duration(Number(limit)) : t.agent.settings.kept(days);
}

/** Notes of people about the machine, for those who may read and not change it; others have the tab with the settings. */
export function StoredFacts({ uuid, stored }: Props) {
  const { mayRead, mayEdit } = useMetadata(uuid);
  const s = t.agent.settings;
  const end = expiryOf(stored['metadata_expire_time']);
  const region = stored['metadata_region'];
  const rows: [key: string, row: FactRow][] = [
    ['metadata_region', [s.region, typeof region === 'string' && placeOf(region)]],
    ['metadata_expire_time', [s.expires, end !== undefined && format.day(end)]],
    ['metadata_price', [s.price, priceText(stored)]],
    ...LIMITED.map((kind): [string, FactRow] => {
      const key = keyOfLimit(kind);
      return [key, [s.keptFor(s.kinds[kind]), keptText(stored[key])]];
    }),
  ];
  const shown = rows.filter(([key, [, value]]) => value && mayRead(key) && !mayEdit(key));
  if (shown.length === 0) return null;
  return (
    <Card title={t.agent.tabs.settings}>
      <FactList rows={shown.map(([, row]) => row)} />
    </Card>
  );
}
