import { described, type Methods, needs, type Static, Type } from '@svc/plugin-sdk';
import type { Changes } from '../changes.ts';
import type { Incident } from '../page.ts';
import { mayDo } from '../permissions.ts';
import { IncidentAnswer, IncidentChange, NewIncident, Slug } from '../schemas.ts';
import type { Store } from '../store.ts';

const Id = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Id of an incident, from 1 on.',
});
const on = (word: 'read' | 'write') =>
  needs(({ slug }: { readonly slug: string }) => mayDo(word, slug));

/** `status-page_incident_add`, `_update`, `_delete` and `_list`. */
export function addIncidentMethods(methods: Methods, changes: Changes, store: Store): void {
  methods.add('status-page_incident_add', {
    summary: 'Writes an incident on a page.',
    description:
      'A page keeps its newest 100, and 100 drafts. The owner of the page stays the same.',
    addition: true,
    params: { slug: Slug, incident: described(NewIncident, 'What happened, and when.') },
    result: IncidentAnswer,
    audit: ({ slug }) => slug,
    access: on('write'),
    handle: async ({ slug, incident }) => answer(await changes.addIncident(slug, incident)),
  });
  methods.add('status-page_incident_update', {
    summary: 'Changes an incident: with `ends_at` it is over.',
    description: 'Members that are absent stay as they are, null takes the default.',
    addition: true,
    params: {
      slug: Slug,
      id: Id,
      incident: described(IncidentChange, 'What becomes different; null: the default.'),
    },
    result: IncidentAnswer,
    audit: ({ slug, id }) => `${slug} ${id}`,
    access: on('write'),
    handle: async ({ slug, id, incident }) =>
      answer(await changes.updateIncident(slug, id, incident)),
  });
  methods.add('status-page_incident_delete', {
    summary: 'Deletes an incident.',
    description: 'One that an outage made does not come back with the same outage.',
    addition: true,
    params: { slug: Slug, id: Id },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ slug, id }) => `${slug} ${id}`,
    access: on('write'),
    async handle({ slug, id }) {
      await changes.removeIncident(slug, id);
      return { success: true };
    },
  });
  methods.add('status-page_incident_list', {
    summary: 'The incidents of a page with its drafts, the one that began last first.',
    addition: true,
    params: { slug: Slug },
    result: Type.Array(IncidentAnswer),
    access: on('read'),
    async handle({ slug }) {
      await changes.page(slug);
      return (await store.incidents(slug, 'all')).map(answer);
    },
  });
}

/** What earlier versions answered is answered as they did. */
const answer = ({ draft, auto, ...incident }: Incident): Static<typeof IncidentAnswer> => ({
  ...incident,
  ...(draft && { draft }),
  ...(auto && { auto }),
});
