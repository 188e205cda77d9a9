import { interactive } from '../type';
import { ScrubberView } from './view';

export const scrubber = interactive('scrubber', ScrubberView);
