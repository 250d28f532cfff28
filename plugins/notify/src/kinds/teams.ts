import { reading } from './answers.ts';
import { json, present, secret, textOf } from './build.ts';
import type { Kind, Rendered } from './types.ts';

const EXAMPLE =
  'https://prod-00.westeurope.logic.azure.com/workflows/ID/triggers/manual/paths/invoke?…';
const COLOURS = { critical: 'Attention', warning: 'Warning', info: 'Accent' } as const;

/** Paragraph whose text has no markup: that of a `TextBlock` would be read as Markdown. */
const paragraph = (text: string, style: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
});

function card(message: Rendered): unknown {
  const { state, severity, title, lines, links } = message;
  const color = state === 'over' ? 'Good' : COLOURS[severity];
  return present({
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    fallbackText: title,
    body: [
      paragraph(title, { weight: 'Bolder', size: 'Medium', color }),
      ...lines.filter((line) => line !== '').map((line) => paragraph(line)),
    ],
    actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
  });
}

export const teams: Kind = {
  kind: 'teams',
  title: 'Microsoft Teams',
  summary: 'Cards in a Teams channel or chat, over a workflow.',
  fields: [
    secret('url', 'Workflow URL', {
      type: 'url',
      example: EXAMPLE,
      help: 'Teams: the channel → Workflows → “Post to a channel when a webhook request is received”.',
    }),
  ],
  check: (values) =>
    /(?:^|\.)webhook\.office\.com$/.test(new URL(textOf(values, 'url')).hostname)
      ? "'url' is an Office 365 connector, which Microsoft has ended: make a workflow and write its URL"
      : undefined,
  request: (values, message) =>
    json(textOf(values, 'url'), {
      type: 'message',
      attachments: [
        { contentType: 'application/vnd.microsoft.card.adaptive', content: card(message) },
      ],
    }),
  answer: reading({
    title: 'Teams',
    said: (body) => (body['error'] as { message?: unknown } | undefined)?.message,
    hints: [
      ['workflow', 'check in Teams that the workflow is there and on'],
      ['signature', 'copy the whole URL of the workflow again'],
    ],
  }),
  limits: { per_second: 2, burst: 4 },
  size: { title: 500, text: 10_000 },
  markup: 'plain',
  idempotent: 'none',
};
