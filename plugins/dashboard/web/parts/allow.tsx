import { Command } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

const FIRST = 'npx svc-server allow-tasks web_shell';
const ADDED = 'sh /opt/svc-agent/install.sh --allow web_shell';

/** How the people of a machine let it open terminals. No page can do it for them. */
export function HowToAllow() {
  const s = t.terminal.allow;
  return (
    <div class="stack">
      <p>{s.lead}</p>
      <div>
        <strong>{s.first}</strong>
        <Command text={FIRST} />
        <p class="muted small">{s.firstHint}</p>
      </div>
      <div>
        <strong>{s.added}</strong>
        <Command text={ADDED} />
        <p class="muted small">{s.addedHint}</p>
      </div>
      <p class="muted small">{s.byHand}</p>
    </div>
  );
}
