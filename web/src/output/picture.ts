// Pictures as addresses that hold them.

import { joined } from '../model/nbformat';

export const pictureUrl = (mime: string, data: unknown) =>
  mime === 'image/svg+xml'
    ? `data:${mime};charset=utf-8,${encodeURIComponent(joined(data))}`
    : `data:${mime};base64,${joined(data).replace(/[^A-Za-z0-9+/=]/g, '')}`;
