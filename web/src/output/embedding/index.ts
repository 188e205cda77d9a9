import { interactive } from '../type';
import { EmbeddingView } from './view';

export const embedding = interactive('embedding', EmbeddingView);
