import { Loaded, to, useCrumbs, usePoll, useServer } from '../../../frame/index.ts';
import { Card } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type KindForm, type Monitor, useKinds } from '../model.ts';
import { draftOf, useDraft } from './draft.ts';
import { MonitorForm } from './form.tsx';
import { LeaveByEscape } from './leave.tsx';

/** A monitor that is there, to change. */
export function EditPage({ name }: { readonly name: string }) {
  const { call } = useServer();
  const kinds = useKinds();
  const monitor = usePoll(`edit ${name}`, () => call('monitor_get', { name }));
  useCrumbs({ label: name, to: to('monitors', name) }, { label: t.monitors.edit });
  return (
    <div class="page monitors monitors-editor">
      <header class="page-head">
        <h1 class="monitors-title">{name}</h1>
      </header>
      <Loaded of={kinds} what={t.monitors.unreadable}>
        {(forms) => (
          <Loaded of={monitor} what={t.monitors.unreadable}>
            {(found) => <Edited forms={forms} monitor={found} />}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

interface Props {
  readonly forms: readonly KindForm[];
  readonly monitor: Monitor;
}

function Edited({ forms, monitor }: Props) {
  const work = useDraft(monitor, draftOf(monitor));
  const back = to('monitors', monitor.name);
  return (
    <Card>
      <LeaveByEscape to={back} isChanged={work.isChanged} />
      <MonitorForm
        work={work}
        form={forms.find(({ kind }) => kind === monitor.kind)}
        monitor={monitor}
        back={back}
      />
    </Card>
  );
}
