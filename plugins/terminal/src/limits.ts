import type { MessageLimits } from '@svc/plugin-sdk/http';

/** Limits of the messages that either side may send (terminal.md §6). */
export const LIMITS: MessageLimits = {
  maxFrameBytes: 1024 * 1024,
  maxMessageBytes: 4 * 1024 * 1024,
};
