import { TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isZone } from './zones.ts';

interface Props {
  readonly zone: string;
  readonly onChange: (zone: string) => void;
}

const ALL = Intl.supportedValuesOf('timeZone');

/** Time zone by its IANA name; the browser offers those that it knows. */
export const ZoneField = ({ zone, onChange }: Props) => (
  <TextField
    label={t.alerts.zone}
    value={zone}
    offered={ALL}
    required
    autocomplete="off"
    error={isZone(zone) ? undefined : t.alerts.noZone}
    onText={onChange}
  />
);
