import { CircleCheck, OctagonX } from 'lucide';
import { format, Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Tried } from '../model.ts';
import { Certificate } from '../monitor/certificates.tsx';

/** What one check measured: the answer in a sentence, the parts folded. */
export function Result({ of }: { readonly of: Tried }) {
  const { ok, ms, code, detail, values, sample, certificate } = of;
  const rows = Object.entries(values).filter(([name]) => name !== 'body' && name !== 'json');
  return (
    <div class={`note ${ok ? '' : 'bad'} monitors-result`} role="status">
      <Icon of={ok ? CircleCheck : OctagonX} />
      <div class="grow stack">
        <strong>
          {[
            ok ? t.monitors.good : t.monitors.notGood(detail ?? ''),
            code ? t.monitors.status(code) : '',
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
  return typeof value === 'string' ? value : JSON.stringify(value);
}
