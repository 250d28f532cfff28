import { reading, waitOf } from './answers.ts';
import { authorization, needed, secret, server, serverOf, textOf, wholeText } from './build.ts';
import { anchors, ESCAPES } from './markup.ts';
import type { Kind, Rendered } from './types.ts';

function html({ title, lines, links }: Rendered): string {
  const escaped = ESCAPES.html;
  const parts = [`<strong>${escaped(title)}</strong>`, ...lines.map(escaped), anchors(links)];
  return parts.filter((part) => part !== '').join('<br>');
}

export const matrix: Kind = {
  kind: 'matrix',
  title: 'Matrix',
  summary: 'Messages in a Matrix room, without encryption.',
  example_url: 'matrixs://ACCESS_TOKEN@matrix.example.org/!room:example.org',
  fields: [
    server(undefined, 'https://matrix.example.org'),
    needed('room', 'Room', {
      example: '!abcdefg:example.org',
      help: 'Element: Room settings → Advanced → Internal room ID. The user must be in the room.',
    }),
    secret('token', 'Access token', {
      help: 'Element: All settings → Help & About → Access Token.',
    }),
  ],
  check: (values) =>
    /^![^\s/]+$/.test(textOf(values, 'room'))
      ? undefined
      : "'room' is the id of a room such as !abcdefg:example.org, not its #name",
  request(values, message, { message_id }) {
    const [room, id] = [textOf(values, 'room'), message_id].map(encodeURIComponent);
    return {
      url: `${serverOf(values)}/_matrix/client/v3/rooms/${room}/send/m.room.message/${id}`,
      method: 'PUT',
      headers: [['content-type', 'application/json'], ...authorization(values)],
      body: JSON.stringify({
        msgtype: 'm.text',
        body: ESCAPES.plain(wholeText(message)),
        format: 'org.matrix.custom.html',
        formatted_body: html(message),
        // This member keeps clients from looking for `@room` in the text.
        'm.mentions': {},
      }),
    };
  },
  answer: reading({
    title: 'Matrix',
    said: (body) => body['error'],
    hints: [
      ['access token', 'write a token of a user who is logged in'],
      ['not in room', 'invite the user to the room, and accept'],
      ['not joined', 'invite the user to the room, and accept'],
    ],
    wait: (body) => waitOf(body['retry_after_ms'], 1),
    id: (body) => body['event_id'],
  }),
  limits: { per_second: 0.5, burst: 3 },
  size: { title: 500, text: 8_000 },
  markup: 'html',
  idempotent: 'path',
};
