import { FilePlus } from 'lucide';
import { useState } from 'preact/hooks';
import { Link, Loaded, to, useCrumbs, useServer } from '../../../frame/index.ts';
import { ruleTitle, SeverityIcon } from '../../../parts/alert/index.ts';
import { Icon, Search } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useRules } from '../model.ts';
import { ruleText } from './sentence.ts';
import { TEMPLATE_IDS, TEMPLATES } from './templates.ts';

/** Things that people want to be told of: a rule begins with one of them. */
export function Gallery() {
  const rules = useRules();
  const { has } = useServer();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const isFound = (...words: readonly string[]) =>
    words.some((word) => word.toLowerCase().includes(wanted));
  useCrumbs({ label: t.alerts.tabs.rules, to: to('alerts', 'rules') }, { label: t.alerts.newRule });
  const shown = TEMPLATE_IDS.filter(
    (id) => id !== 'blank' && isFound(t.alerts.templates[id].name, t.alerts.templates[id].why),
  );
  const of = (isOfMonitors: boolean) =>
    shown.filter((id) => (TEMPLATES[id].source === 'monitor') === isOfMonitors);
  const monitors = has('monitor') ? of(true) : [];
  return (
    <div class="page alerts">
      <h1>{t.alerts.galleryTitle}</h1>
      <Search label={t.alerts.findTemplate} value={text} onText={setText} class="alerts-find" />
      <div class="alerts-gallery">
        <Tiles of={of(false)} />
        <Link to={to('alerts', 'rules', { new: 'blank' })} class="card alerts-tile">
          <strong>
            <Icon of={FilePlus} /> {t.alerts.templates.blank.name}
          </strong>
          <span class="muted">{t.alerts.templates.blank.why}</span>
        </Link>
      </div>
      {monitors.length > 0 && (
        <>
          <h2>{t.alerts.monitorTemplates}</h2>
          <div class="alerts-gallery">
            <Tiles of={monitors} />
          </div>
        </>
      )}
      <h2>{t.alerts.shippedTitle}</h2>
      <Loaded of={rules} what={t.alerts.unreadable}>
        {(list) => (
          <div class="alerts-gallery">
            {list
              .filter((rule) => rule.shipped !== null && isFound(ruleTitle(rule)))
              .map((rule) => (
                <Link key={rule.id} to={to('alerts', 'rules', rule.name)} class="card alerts-tile">
                  <strong class="row">
                    <SeverityIcon of={rule.severity} /> {ruleTitle(rule)}
                  </strong>
                  <span class="muted small">{ruleText(rule)}</span>
                  {!rule.enable && <span class="small">{t.alerts.isOff}</span>}
                </Link>
              ))}
          </div>
        )}
      </Loaded>
    </div>
  );
}

const Tiles = ({ of }: { readonly of: typeof TEMPLATE_IDS }) =>
  of.map((id) => (
    <Tile key={id} {...t.alerts.templates[id]} to={to('alerts', 'rules', { new: id })}>
      {ruleText(TEMPLATES[id])}
    </Tile>
  ));

interface TileProps {
  readonly name: string;
  readonly why: string;
  readonly to: string;
  readonly children: string;
}

const Tile = ({ name, why, to: href, children }: TileProps) => (
  <Link to={href} class="card alerts-tile">
    <strong>{name}</strong>
    <span class="muted">{why}</span>
    <span class="muted small alerts-tile-rule">{children}</span>
  </Link>
);
