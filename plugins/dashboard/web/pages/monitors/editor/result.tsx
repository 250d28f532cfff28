import { CircleCheck, OctagonX } from 'lucide';
import { format, Icon } from '../../../parts/index.ts';
import { reasonText } from '../../../parts/monitor/reason.ts';
import { t } from '../../../strings/index.ts';
import type { Tried } from '../model.ts';
import { Certificate } from '../monitor/certificates.tsx';

/** Variables that the beginning of the answer shows. */
const LONG = ['body', 'json'];
/** Variables that people look for first; headers are long, and come last. */
const FIRST = ['status', 'rcode', 'answers', 'ms', 'ms_dns', 'ms_connect', 'ms_tls', 'ms_first'];
const rankOf = (name: string): number =>
  name === 'headers'
    ? Number.MAX_SAFE_INTEGER
    : FIRST.includes(name)
      ? FIRST.indexOf(name)
      : FIRST.length;

/** What one check measured: the answer in a sentence, the parts folded. */
export function Result({ of }: { readonly of: Tried }) {
  const { ok, ms, code, detail, values, sample, certificate } = of;
  const said = reasonText(detail ?? '');
  const rows = Object.entries(values)
    .filter(([name]) => !LONG.includes(name))
    .sort(([a], [b]) => rankOf(a) - rankOf(b));
  return (
    <div class={`note ${ok ? '' : 'bad'} monitors-result`} role="status">
      <Icon of={ok ? CircleCheck : OctagonX} />
      <div class="grow stack">
        <strong>
          {[
            ok ? t.monitors.good : t.monitors.notGood(said),
            code && !said.includes(String(code)) ? t.monitors.status(code) : '',
            ms === null ? '' : format.text(format.milliseconds(ms)),
          ]
            .filter((one) => one !== '')
            .join(' · ')}
        </strong>
        {rows.length > 0 && (
          <details>
            <summary>{t.monitors.measured}</summary>
            <dl class="monitors-values">
              {rows.map(([name, value]) => (
                <>
                  <dt class="mono">{name}</dt>
                  <dd class="mono">{shown(value)}</dd>
                </>
              ))}
            </dl>
          </details>
        )}
        {sample !== null && sample !== '' && (
          <details>
            <summary>{t.monitors.sample}</summary>
            <pre class="monitors-sample">{sample}</pre>
          </details>
        )}
        {certificate !== null && (
          <details>
            <summary>{t.monitors.certificate}</summary>
            <Certificate of={certificate} />
          </details>
        )}
      </div>
    </div>
  );
}

function shown(value: unknown): string {
  if (typeof value === 'number') return format.number(value, Number.isInteger(value) ? 0 : 1);
  if (typeof value === 'string') return value;
  if (Array.isArray(value) || value === null || typeof value !== 'object')
    return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${shown(one)}`)
    .join('\n');
}
