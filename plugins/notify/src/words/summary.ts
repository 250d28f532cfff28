import type { Message, MessageAlert } from '../api.ts';
import { fillTemplate, parseTemplate, TemplateError } from '../template/index.ts';
import type { Language } from './language.ts';

interface Speaking {
  readonly language: Language;
  readonly zone: string;
}

/** Fills in the summaries that hold times, in the language and the zone of a channel. */
export const spokenMessage = (message: Message, speaking: Speaking): Message => ({
  ...message,
  alerts: message.alerts.map((alert) => spoken(alert, speaking)),
});

function spoken({ summary_form, ...alert }: MessageAlert, speaking: Speaking): MessageAlert {
  if (!summary_form) return alert;
  const { text, values } = summary_form;
  try {
    const template = parseTemplate(text, Object.keys(values));
    return { ...alert, summary: fillTemplate(template, values, speaking) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    // Another version of the server wrote a filter that this one does not have.
    return alert;
  }
}
