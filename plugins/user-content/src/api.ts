import { service } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';

/** Content that is about to be sent. */
export interface Content {
  /** Set when its owner was the Super Token, or could write everything of this kind, when it wrote this. */
  readonly trusted: boolean;
  /** Set when it cannot be served on another host name: a mounted drive, the server's root. */
  readonly stays?: boolean;
}

/** Keeps content that tokens have put on this server apart from the pages of the server and of its administrator. */
export interface UserContent {
  /**
   * Called before such content is sent: sets the headers that keep it apart, or answers the request itself.
   * @returns false when it has answered
   */
  admit(exchange: Exchange, content: Content): boolean;
}
export const UserContent = service<UserContent>('user-content');
