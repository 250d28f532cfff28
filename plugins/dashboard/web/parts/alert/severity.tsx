import { Info, OctagonAlert, TriangleAlert } from 'lucide';
import { t } from '../../strings/index.ts';
import { Icon } from '../icon.tsx';
import type { Severity } from './types.ts';
import './alert.css';

const icons = { critical: OctagonAlert, warning: TriangleAlert, info: Info };

/** Picture of a severity; its word is there for those who do not see it. */
export const SeverityIcon = ({ of, size }: { readonly of: Severity; readonly size?: number }) => (
  <Icon
    of={icons[of]}
    label={t.alert.severities[of]}
    class={`alert-severity ${of}`}
    {...(size !== undefined && { size })}
  />
);
