// Logging this page in again, at a server that was started with another token.

import { answer } from './request';
import { keepProof } from './proof';

/** Logs in with a token, or with the address that has it; it throws with the server's reason. */
export async function login(secret: string): Promise<void> {
  const token = /[?&]token=([^&#\s]+)/.exec(secret)?.[1] ?? secret.trim();
  const response = await answer('POST', 'api/login', undefined, { Authorization: `token ${token}` });
  keepProof((await response.json()) as { proof: string; files: string });
}
