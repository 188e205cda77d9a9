// The page of runs and that of embeddings, by themselves: they need little of what notebooks need, and are there at once.

import './style/page.css';
import './style/outputs.css';
import { place } from './address';
import { loginUrl } from './base';
import { el } from './dom';
import { hasProof, takeProof } from './protocol/proof';
import { openRuns } from './runs/open';
import { startTheme } from './theme';

startTheme();
document.body.append(el('div.visually-hidden', { id: 'live', role: 'status', 'aria-live': 'polite' }));
takeProof();
if (!hasProof()) location.replace(loginUrl());
else if (place().page === 'embeddings')
  void import('./embeddings/page').then(({ EmbeddingsPage }) => document.body.append(new EmbeddingsPage().dom));
else void openRuns();
